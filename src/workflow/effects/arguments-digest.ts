import { createHash } from 'node:crypto';
import type { Json } from '../../contract/plan/index.ts';

/** The same for the same arguments, in whatever order their members stand. */
export function argumentsDigest(args: Json): string {
  return `sha256:${createHash('sha256').update(canonicalJson(args)).digest('hex')}`;
}

/** JSON with the members of every object in order. Arguments were measured before, so they are not deep. */
function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const entries = Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1));
    // Without a prototype, so that a member may be called "__proto__"; numbers come first in any object.
    const ordered: Record<string, unknown> = Object.create(null);
    for (const [name, inner] of entries) ordered[name] = inner;
    return ordered;
  });
}
