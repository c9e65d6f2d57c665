import { createHash } from 'node:crypto';

/** The same for the same JSON, in whatever order the members of its objects stand. Of limited depth, as JSON from outside is. */
export function digestJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const entries = Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1));
    // Without a prototype, so that a member may be called "__proto__"; numbers come first in any object.
    const ordered: Record<string, unknown> = Object.create(null);
    for (const [name, inner] of entries) ordered[name] = inner;
    return ordered;
  });
  return `sha256:${createHash('sha256')
    .update(text ?? '')
    .digest('hex')}`;
}
