import { createHash } from 'node:crypto';
import type { Context, ContextItem } from '../../contract/context/index.ts';

/**
 * The one text of a version: members in the order of their names, no blanks. Its SHA-256 is the id, so any program
 * can check an export: `sha256sum` of a line gives the id of its version.
 */
export function canonicalText({ version, name, parent, items }: Context): string {
  return JSON.stringify({ items: items.map(canonicalItem), name, parent, version });
}

export function contextId(text: string): string {
  return `ctx-${createHash('sha256').update(text).digest('hex')}`;
}

function canonicalItem({ kind, source, text, title }: ContextItem): object {
  return { kind, ...(source !== undefined && { source }), text, title };
}
