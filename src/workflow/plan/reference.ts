import type { Json } from '../../contract/plan/index.ts';
import type { Held, Hole } from '../engine/activity-data.ts';

/** `${root.path[0].x}`. */
export interface Reference {
  readonly root: string;
  readonly path: readonly (string | number)[];
}

/** What stands behind `${`: a reference and where the text goes on, or why it is none. */
type ReadReference =
  | { readonly reference: Reference; readonly end: number }
  | { readonly problem: string };

/** No sensible value lies deeper. */
const maxPathLength = 64;

/** Reads a reference whose `${` ends at `start`. Takes time linear in its length. */
export function readReference(text: string, start: number): ReadReference {
  let at = skipBlanks(text, start);
  const root = nameAt(text, at);
  if (root === '') return { problem: beginningProblem(text, start) };
  at += root.length;
  const path: (string | number)[] = [];
  for (;;) {
    at = skipBlanks(text, at);
    if (text[at] === '}') return { reference: { root, path }, end: at + 1 };
    const segment = readSegment(text, at);
    if ('problem' in segment) return { problem: segment.problem };
    path.push(segment.value);
    at = segment.end;
    if (path.length > maxPathLength) {
      return { problem: `a reference has at most ${maxPathLength} parts` };
    }
  }
}

/** The reference as it is written in a plan. */
export function formatReference({ root, path }: Reference): string {
  return `\${${root}${formatPath(path, root)}}`;
}

/** `steps[2].args["odd name"]`; `before` is what it is added to. */
export function formatPath(path: readonly (string | number)[], before = ''): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (nameAt(segment, 0) !== segment || segment === '')
      text += `[${JSON.stringify(segment)}]`;
    else text += text === '' && before === '' ? segment : `.${segment}`;
  }
  return text;
}

/** The opposite of `formatPath`; undefined when the text is no path. */
export function parsePath(text: string): readonly (string | number)[] | undefined {
  const path: (string | number)[] = [];
  const first = nameAt(text, 0);
  if (first !== '') path.push(first);
  let at = first.length;
  while (at < text.length) {
    const segment = readSegment(text, at);
    if ('problem' in segment) return undefined;
    path.push(segment.value);
    at = segment.end;
  }
  return path;
}

type ReadSegment =
  | { readonly value: string | number; readonly end: number }
  | { readonly problem: string };

function readSegment(text: string, at: number): ReadSegment {
  if (at >= text.length) return { problem: 'its "}" is missing' };
  if (text[at] === '.') {
    const name = nameAt(text, at + 1);
    if (name !== '') return { value: name, end: at + 1 + name.length };
    const digits = matchAt(/\d{1,9}/y, text, at + 1);
    const hint = digits === '' ? 'other names are written ["like this"]' : `write [${digits}]`;
    return { problem: `behind "." a name is wanted; ${hint}` };
  }
  if (text[at] === '[') return readBracket(text, at + 1);
  return { problem: `"${text[at]}" is not expected in a reference` };
}

function readBracket(text: string, start: number): ReadSegment {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") {
    const digits = matchAt(/\d{1,9}/y, text, start);
    const end = start + digits.length;
    if (digits !== '' && text[end] === ']') return { value: Number(digits), end: end + 1 };
    return { problem: 'between "[" and "]" a number or a name in quotes is wanted' };
  }
  const end = endOfQuoted(text, start);
  if (end === undefined) return { problem: 'a quote is not closed' };
  const name = unquote(text.slice(start, end));
  if (name === undefined) return { problem: 'the name in quotes cannot be read' };
  if (text[end] !== ']') return { problem: '"]" is missing behind a name in quotes' };
  return { value: name, end: end + 1 };
}

/** Where the text in quotes that starts at `start` is over; undefined when it does not end. */
export function endOfQuoted(text: string, start: number): number | undefined {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\' && quote === '"') at += 1;
    else if (text[at] === quote) return at + 1;
  }
  return undefined;
}

/** What `"…"` (with the escapes of JSON) or `'…'` (with none) stands for. */
export function unquote(quoted: string): string | undefined {
  if (quoted.startsWith("'")) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}

function nameAt(text: string, at: number): string {
  return matchAt(/[A-Za-z_][A-Za-z0-9_-]*/y, text, at);
}

function skipBlanks(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t' || text[end] === '\n') end += 1;
  return end;
}

/** What a sticky pattern finds at just this place; empty when nothing. */
export function matchAt(sticky: RegExp, text: string, at: number): string {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? '';
}

function beginningProblem(text: string, start: number): string {
  if (text[start] === '{') return 'it has one pair of braces: ${step.value}';
  return text[start] === '}'
    ? 'it is empty'
    : 'it must begin with the id of a step, or with input, item, index or run';
}

/**
 * What lies at a path within a value; undefined when nothing does. Only what the value itself holds is
 * found, never what its prototype does; a list has `length`, too.
 */
export function followPath(value: Json, path: readonly (string | number)[]): Json | undefined {
  let found: Json | undefined = value;
  for (const segment of path) {
    found = follow(found, segment);
    if (found === undefined) return undefined;
  }
  return found;
}

/** The same where the value may lie in an artifact: then the path into it becomes longer. */
export function followHeld(held: Held, path: readonly (string | number)[]): Held | undefined {
  if (path.length === 0) return held;
  if ('artifact' in held) return { artifact: held.artifact, path: [...held.path, ...path] };
  if (held.holes !== undefined) return followAround(held.value, held.holes, path);
  const value = followPath(held.value, path);
  return value === undefined ? undefined : { value };
}

/** The path may end above holes, in one, or beside them. */
function followAround(
  value: Json,
  holes: readonly Hole[],
  path: readonly (string | number)[],
): Held | undefined {
  const within: Hole[] = [];
  for (const { at, parts } of holes) {
    const common = commonLength(at, path);
    const [part] = parts;
    if (common === at.length) {
      if (parts.length === 1 && typeof part === 'object')
        return followHeld(part, path.slice(common));
      // A text that is still to be put together has no members.
      return common === path.length ? { value: null, holes: [{ at: [], parts }] } : undefined;
    }
    if (common === path.length) within.push({ at: at.slice(common), parts });
  }
  const found = followPath(value, path);
  if (found === undefined) return undefined;
  return within.length === 0 ? { value: found } : { value: found, holes: within };
}

function commonLength(
  one: readonly (string | number)[],
  other: readonly (string | number)[],
): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
}

function follow(value: Json, segment: string | number): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    if (segment === 'length') return value.length;
    return typeof segment === 'number' ? value[segment] : undefined;
  }
  return Object.hasOwn(value, segment) ? value[segment] : undefined;
}
