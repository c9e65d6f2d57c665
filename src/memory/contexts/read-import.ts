import { createHash } from 'node:crypto';
import { type Context, type ContextItem, contextSchema } from '../../contract/context/index.ts';
import { InvalidContextError } from '../errors.ts';

const maxImported = 50_000;
const maxShownIssues = 5;
const attempted = 'The contexts were not imported';

/** Versions from lines that were exported, each exactly as it was written. */
export function readImport(texts: readonly string[]): readonly Context[] {
  if (texts.length === 0) throw new InvalidContextError(attempted, ['there is no version in it']);
  if (texts.length > maxImported) {
    throw new InvalidContextError(attempted, [`it has more than ${maxImported} versions`]);
  }
  return texts.map((text, index) => readLine(text, index + 1));
}

function readLine(text: string, line: number): Context {
  const checked = contextSchema.safeParse(parse(text, line));
  if (!checked.success) {
    const problems = checked.error.issues
      .slice(0, maxShownIssues)
      .map(({ path, message }) => `line ${line}: ${path.join('.')} ${message}`);
    throw new InvalidContextError(attempted, problems);
  }
  // Another text of the same content would get another id than the one it was exported with.
  if (canonicalText(checked.data) === text) return checked.data;
  throw new InvalidContextError(attempted, [
    `line ${line} is not as "tutti contexts export" writes it`,
  ]);
}

function parse(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidContextError(attempted, [`line ${line} is not JSON (${reason})`]);
  }
}

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
