import type { Passage } from '../passage.ts';
import { splitLong } from './split-long.ts';

/** A signature over more lines than this is not followed to its end. */
const maxSignatureLines = 30;
/** A class of a stub is cut only above this size. */
const maxStubChars = 8_000;
/** Members of a stub without docstrings are kept together up to this many lines. */
const maxGroupLines = 30;

interface Definition {
  readonly indent: number;
  readonly name: string;
  readonly isFunction: boolean;
  /** Index of the first line after the signature. */
  readonly after: number;
}

/** The docstrings of a Python module, its classes and functions, each with its signature. */
export function splitPython(text: string, module: string): Passage[] {
  const lines = text.split('\n');
  const passages: Passage[] = [];
  const open: Definition[] = [];
  const first = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  const opening = docstringAt(lines, first);
  if (opening !== undefined) {
    const own = lines.slice(first, opening);
    passages.push(...splitLong({ heading: module, line: first + 1, lines: own }));
  }
  let plain: Signature[] = [];
  const emitPlain = (): void => {
    const [first] = plain;
    if (first) {
      const heading = [...new Set(plain.map((one) => one.heading))].join(', ');
      const own = plain.flatMap((one) => lines.slice(one.start, one.end));
      passages.push(...splitLong({ heading, line: first.start + 1, lines: own }));
    }
    plain = [];
  };
  for (let index = 0; index < lines.length; index += 1) {
    const definition = definitionAt(lines, index);
    if (!definition) continue;
    while ((open.at(-1)?.indent ?? -1) >= definition.indent) open.pop();
    const isLocal = open.some(({ isFunction }) => isFunction);
    open.push(definition);
    const path = open.map(({ name }) => name);
    if (isLocal || path.length > maxDepth || !path.every(isPublic)) continue;
    const heading = [module, ...path].join('.');
    const start = decoratorsBefore(lines, index);
    const end = docstringAt(lines, nextTextLine(lines, definition.after));
    if (end === undefined) {
      // The name of a class alone says nothing; its methods say where they belong.
      if (!definition.isFunction) continue;
      const isNear =
        start - (plain.at(-1)?.start ?? start) < maxGroupGap && plain.length < maxGroupLines;
      if (!isNear || parentOf(plain.at(-1)?.heading) !== parentOf(heading)) emitPlain();
      plain.push({ heading, start, end: definition.after });
      continue;
    }
    emitPlain();
    passages.push(...splitLong({ heading, line: start + 1, lines: lines.slice(start, end) }));
    index = end - 1;
  }
  emitPlain();
  return passages;
}

/** A definition without a docstring: its signature is all there is to show. */
interface Signature {
  readonly heading: string;
  readonly start: number;
  readonly end: number;
}

/** Signatures further apart than this many lines have little to do with one another. */
const maxGroupGap = 200;
const maxDecorators = 20;
/** Classes inside classes beyond this are nobody's interface. */
const maxDepth = 6;

function parentOf(heading: string | undefined): string | undefined {
  return heading?.slice(0, heading.lastIndexOf('.'));
}

function decoratorsBefore(lines: readonly string[], index: number): number {
  let start = index;
  while (start > 0 && index - start < maxDecorators && /^\s*@\w/.test(lines[start - 1] ?? ''))
    start -= 1;
  return start;
}

/** The signatures of a stub file (`.pyi`): a class with its members, functions in groups. */
export function splitStub(text: string, module: string): Passage[] {
  const lines = text.split('\n');
  const starts = lines.flatMap((line, index) =>
    /^(?:class|def|async def|@)/.test(line) ? [index] : [],
  );
  const passages: Passage[] = [];
  let from = 0;
  while (from < starts.length) {
    const start = starts[from] ?? 0;
    let to = from + 1;
    // Decorators and overloads belong to what follows them.
    while (
      to < starts.length &&
      (starts[to] ?? 0) - start < maxGroupLines &&
      !isClass(lines, starts, to)
    ) {
      to += 1;
    }
    const end = starts[to] ?? lines.length;
    const own = lines.slice(start, end);
    const names = own.flatMap((line) => /^(?:class|def|async def)\s+(\w+)/.exec(line)?.[1] ?? []);
    const heading = [...new Set(names)].map((name) => `${module}.${name}`).join(', ');
    if (names.some(isPublic)) {
      passages.push(...splitLong({ heading, line: start + 1, lines: own, maxChars: maxStubChars }));
    }
    from = to;
  }
  return passages;
}

function isClass(lines: readonly string[], starts: readonly number[], at: number): boolean {
  return (lines[starts[at] ?? 0] ?? '').startsWith('class');
}

function isPublic(name: string): boolean {
  return !name.startsWith('_') || name === '__init__' || name === '__call__';
}

function definitionAt(lines: readonly string[], index: number): Definition | undefined {
  const parsed = /^([ \t]*)(class|def|async def)[ \t]+(\w+)/.exec(lines[index] ?? '');
  const [, indent = '', kind, name] = parsed ?? [];
  if (name === undefined) return undefined;
  let after = index;
  let depth = 0;
  while (after < lines.length && after - index < maxSignatureLines) {
    for (const bracket of (lines[after] ?? '').matchAll(/[()[\]]/g)) {
      depth += '(['.includes(bracket[0]) ? 1 : -1;
    }
    after += 1;
    if (depth <= 0) break;
  }
  if (depth > 0) return undefined;
  return { indent: indent.length, name, isFunction: kind !== 'class', after };
}

function nextTextLine(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && (lines[at] ?? '').trim() === '') at += 1;
  return at;
}

/** The index after the docstring that begins on this line; undefined when none does. */
function docstringAt(lines: readonly string[], index: number): number | undefined {
  const quote = /^[ \t]*[rRuU]?("""|''')/.exec(lines[index] ?? '')?.[1];
  if (quote === undefined) return undefined;
  const opening = (lines[index] ?? '').trim();
  if (opening.indexOf(quote) !== opening.lastIndexOf(quote)) return index + 1;
  for (let at = index + 1; at < lines.length; at += 1) {
    if ((lines[at] ?? '').includes(quote)) return at + 1;
  }
  return lines.length;
}
