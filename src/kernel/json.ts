import { createHash } from 'node:crypto';

/** A value whose parts are only read, seven levels deep: what is returned of data that belongs to others. */
export type DeepReadonly<Value, Level extends 0[] = []> = Level['length'] extends 7
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key], [...Level, 0]> }
    : Value;

/** The object itself, or an empty one for what is no object or an array. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/**
 * A table that is looked up by names from outside. It has no prototype: in a plain object `toString`, `constructor` and
 * the like would be found, too.
 */
export function lookupTable<Value>(
  entries: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  return Object.freeze(Object.assign(Object.create(null), entries));
}

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

/** JSON with comments and trailing commas, as editors write it; `undefined` when it is none. */
export function parseLenientJson(text: string): unknown {
  try {
    return JSON.parse(withoutExtras(text.replace(/^\uFEFF/, '')));
  } catch {
    return undefined;
  }
}

/** Leaves out comments, and commas behind which a list or object ends. */
function withoutExtras(text: string): string {
  const kept: string[] = [];
  let heldComma = '';
  let index = 0;
  while (index < text.length) {
    const end = endOfToken(text, index);
    const token = text.slice(index, end);
    index = end;
    if (token.startsWith('//') || token.startsWith('/*') || token.trim() === '') {
      kept.push(' ');
      continue;
    }
    if (token !== '}' && token !== ']') kept.push(heldComma);
    heldComma = token === ',' ? ',' : '';
    if (token !== ',') kept.push(token);
  }
  return `${kept.join('')}${heldComma}`;
}

/** Where the string, comment, punctuation mark or run of anything else that starts at `index` ends. */
function endOfToken(text: string, index: number): number {
  if (text[index] === '"') {
    let end = index + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    return end + 1;
  }
  if (text.startsWith('//', index)) return endAt(text, text.indexOf('\n', index));
  if (text.startsWith('/*', index)) return endAt(text, text.indexOf('*/', index + 2), 2);
  let end = index + 1;
  if (/[,{}[\]:\s/]/.test(text[index] ?? '')) return end;
  while (end < text.length && !/[",{}[\]:\s/]/.test(text[end] ?? '')) end += 1;
  return end;
}

function endAt(text: string, found: number, length = 0): number {
  return found < 0 ? text.length : found + length;
}

interface OutlineLimits {
  /** A longer value, or name of one, is cut in its middle. */
  readonly maxValueChars: number;
  readonly maxLines: number;
}

interface Outline {
  readonly lines: readonly string[];
  /** Whether something is not in the lines: the middle of a value, or whole lines at the end. */
  readonly isCut: boolean;
}

/** Lists and objects that are no longer than this stand in one line. */
const maxInlineChars = 100;

/** JSON as lines for people: every name and, of what is too long to be read, its two ends and how long it is. */
export function outlineJson(value: unknown, limits: OutlineLimits): Outline {
  const lines: string[] = [];
  let left = 0;
  let isCut = false;
  const add = (line: string): void => {
    if (lines.length < limits.maxLines) lines.push(line);
    else left += 1;
  };
  const short = (text: string): string => {
    const cut = cutMiddle(text, limits.maxValueChars);
    isCut ||= cut !== text;
    return cut;
  };
  const maxInline = Math.min(maxInlineChars, limits.maxValueChars);
  const walk = (inner: unknown, { name, indent }: { name: string; indent: string }): void => {
    const text = JSON.stringify(inner) ?? 'null';
    const lead = name === '' ? indent : `${indent}${short(name)}: `;
    const isList = Array.isArray(inner);
    const members = typeof inner === 'object' && inner !== null ? Object.entries(inner) : [];
    if (members.length === 0 || text.length <= maxInline) return add(lead + short(text));
    if (name !== '') add(lead + (isList ? `${members.length} items` : `${members.length} members`));
    const deeper = name === '' ? indent : `${indent}  `;
    for (const [key, member] of members) {
      walk(member, { name: isList ? `[${key}]` : key, indent: deeper });
    }
  };
  walk(value, { name: '', indent: '' });
  if (left > 0) lines.push(`… ${left} more lines`);
  return { lines, isCut: isCut || left > 0 };
}

/** Lines of a text for people: long ones are cut in their middle, and what is left out is counted. */
export function outlineLines(lines: readonly string[], limits: OutlineLimits): Outline {
  const shown = lines
    .slice(0, limits.maxLines)
    .map((line) => cutMiddle(line, limits.maxValueChars));
  const left = lines.length - shown.length;
  const isCut = left > 0 || shown.some((line, at) => line !== lines[at]);
  return { lines: left > 0 ? [...shown, `… ${left} more lines`] : shown, isCut };
}

/** Both ends of a text, and how much of how much is left out between them. */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  const leftOut = text.length - 2 * half;
  return `${text.slice(0, half)}… [${leftOut} of ${text.length} characters left out] …${text.slice(-half)}`;
}
