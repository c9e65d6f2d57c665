import type { Json } from '../../contract/plan/index.ts';
import { BadConditionError } from './errors.ts';
import { endOfQuoted, matchAt, readReference, unquote, type Reference } from './reference.ts';
import { lookupTable } from '../../kernel/index.ts';

export type Comparison = '==' | '!=' | '<=' | '>=' | '<' | '>';

export type ConditionNode =
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'reference'; readonly reference: Reference }
  | { readonly kind: 'exists'; readonly reference: Reference }
  | { readonly kind: 'not'; readonly part: ConditionNode }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly ConditionNode[] }
  | {
      readonly kind: 'compare';
      readonly comparison: Comparison;
      readonly left: ConditionNode;
      readonly right: ConditionNode;
    };

const maxLength = 10_000;
/** Parentheses and `!` within each other. */
const maxDepth = 50;
/** Longer ones first: `<=` is not `<`. */
const comparisons: readonly Comparison[] = ['==', '!=', '<=', '>=', '<', '>'];
const words: Readonly<Record<string, boolean | null>> = lookupTable({
  true: true,
  false: false,
  null: null,
});
const wordsOfOthers: Readonly<Record<string, string>> = lookupTable({
  and: '&&',
  or: '||',
  not: '!',
});

/** Reads from left to right without going back, so it takes time linear in the text. */
export function readCondition(text: string): {
  readonly node: ConditionNode;
  readonly references: readonly Reference[];
} {
  if (text.length > maxLength) {
    throw new BadConditionError(text, `it has more than ${maxLength} characters`);
  }
  const reader: Reader = { text, at: 0, depth: 0, references: [] };
  const node = readAny(reader);
  skipBlanks(reader);
  if (reader.at < text.length) throw unexpected(reader, 'is not expected here');
  return { node, references: reader.references };
}

interface Reader {
  readonly text: string;
  at: number;
  depth: number;
  readonly references: Reference[];
}

function readAny(reader: Reader): ConditionNode {
  return readParts(reader, { sign: '||', kind: 'any', read: readAll });
}

function readAll(reader: Reader): ConditionNode {
  return readParts(reader, { sign: '&&', kind: 'all', read: readComparison });
}

interface PartsSpec {
  readonly sign: string;
  readonly kind: 'all' | 'any';
  readonly read: (reader: Reader) => ConditionNode;
}

function readParts(reader: Reader, { sign, kind, read }: PartsSpec): ConditionNode {
  const first = read(reader);
  const parts = [first];
  while (take(reader, sign)) parts.push(read(reader));
  return parts.length === 1 ? first : { kind, parts };
}

function readComparison(reader: Reader): ConditionNode {
  const left = readOperand(reader);
  const comparison = comparisons.find((sign) => take(reader, sign));
  if (comparison === undefined) return left;
  const right = readOperand(reader);
  if (comparisons.some((sign) => take(reader, sign))) {
    throw new BadConditionError(reader.text, 'several comparisons in a row want "&&" between them');
  }
  return { kind: 'compare', comparison, left, right };
}

function readOperand(reader: Reader): ConditionNode {
  reader.depth += 1;
  if (reader.depth > maxDepth) {
    throw new BadConditionError(reader.text, `it is nested more than ${maxDepth} deep`);
  }
  const node = readNested(reader) ?? readReferenceNode(reader) ?? readLiteral(reader);
  reader.depth -= 1;
  return node;
}

function readNested(reader: Reader): ConditionNode | undefined {
  if (take(reader, '!')) return { kind: 'not', part: readOperand(reader) };
  if (!take(reader, '(')) return undefined;
  const inner = readAny(reader);
  close(reader);
  return inner;
}

function readReferenceNode(reader: Reader): ConditionNode | undefined {
  if (!take(reader, '${')) return undefined;
  const read = readReference(reader.text, reader.at);
  if ('problem' in read) {
    throw new BadConditionError(reader.text, `a reference is none: ${read.problem}`);
  }
  reader.at = read.end;
  reader.references.push(read.reference);
  return { kind: 'reference', reference: read.reference };
}

function readLiteral(reader: Reader): ConditionNode {
  const { text, at } = reader;
  if (text[at] === '"' || text[at] === "'") return readQuoted(reader);
  const number = matchAt(/-?\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?/y, text, at);
  if (number !== '') {
    reader.at += number.length;
    return { kind: 'literal', value: Number(number) };
  }
  const word = matchAt(/[A-Za-z_][\w-]*/y, text, at);
  const value = Object.hasOwn(words, word) ? words[word] : undefined;
  if (value !== undefined) {
    reader.at += word.length;
    return { kind: 'literal', value };
  }
  if (word === 'exists') return readExists(reader);
  throw unexpected(reader, wordProblem(word));
}

function readQuoted(reader: Reader): ConditionNode {
  const { text, at } = reader;
  const end = endOfQuoted(text, at);
  if (end === undefined) throw new BadConditionError(text, 'a quote is not closed');
  const value = unquote(text.slice(at, end));
  if (value === undefined) throw unexpected(reader, 'cannot be read as a text in quotes');
  if (value.includes('${')) {
    throw new BadConditionError(text, 'a reference stands in quotes: write it without them');
  }
  reader.at = end;
  return { kind: 'literal', value };
}

function readExists(reader: Reader): ConditionNode {
  reader.at += 'exists'.length;
  const inner = take(reader, '(') ? readReferenceNode(reader) : undefined;
  if (inner?.kind !== 'reference') {
    throw new BadConditionError(reader.text, 'exists takes one reference: exists(${step.value})');
  }
  close(reader);
  return { kind: 'exists', reference: inner.reference };
}

function close(reader: Reader): void {
  if (!take(reader, ')')) throw unexpected(reader, 'stands where a ")" is missing');
}

/** Goes over the sign when it comes next. */
function take(reader: Reader, sign: string): boolean {
  skipBlanks(reader);
  if (!reader.text.startsWith(sign, reader.at)) return false;
  reader.at += sign.length;
  return true;
}

function skipBlanks(reader: Reader): void {
  while (/\s/.test(reader.text[reader.at] ?? '')) reader.at += 1;
}

function wordProblem(word: string): string {
  const ours = Object.hasOwn(wordsOfOthers, word) ? wordsOfOthers[word] : undefined;
  if (ours !== undefined) return `is not known here: write ${ours}`;
  if (word !== '')
    return `is not known here: a reference is written \${${word}…}, a text in quotes`;
  return 'stands where a value is wanted';
}

const shownLength = 20;

function unexpected({ text, at }: Reader, what: string): BadConditionError {
  if (at >= text.length) return new BadConditionError(text, 'it ends too early');
  const word = matchAt(/[\w-]+/y, text, at).slice(0, shownLength);
  const hint = text[at] === '=' ? ' ("is equal" is written ==)' : '';
  return new BadConditionError(text, `"${word || text[at]}" ${what}${hint}`);
}
