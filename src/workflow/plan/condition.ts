import type { Json } from '../../contract/plan/index.ts';
import { lookupTable } from '../../kernel/index.ts';
import { BadConditionError } from './errors.ts';
import {
  followHeld,
  type Reference,
  endOfQuoted,
  matchAt,
  readReference,
  unquote,
} from './reference.ts';
import type { Lookup } from './template.ts';

/** A parsed `when`. */
export interface Condition {
  readonly text: string;
  readonly references: readonly Reference[];
  readonly node: ConditionNode;
}

/** Throws `plan.bad_condition`. */
export function parseCondition(text: string): Condition {
  return { text, ...readCondition(text) };
}

/**
 * `unloaded` when a value is needed that lies in an artifact: then an activity has to look. A value by
 * itself holds unless it is false, null, 0, the empty text or nothing.
 */
export function evaluateCondition(condition: Condition, lookup: Lookup): boolean | 'unloaded' {
  const value = evaluate(condition.node, lookup);
  return value === unloaded ? 'unloaded' : Boolean(value);
}

const unloaded = Symbol('unloaded');
type Value = Json | undefined | typeof unloaded;

/** Conditions are read with a limit on their depth, which limits the recursion here. */
function evaluate(node: ConditionNode, lookup: Lookup): Value {
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'reference':
      return valueOf(node.reference, lookup);
    case 'exists':
      return exists(node.reference, lookup);
    case 'not': {
      const value = evaluate(node.part, lookup);
      return value === unloaded ? unloaded : !value;
    }
    case 'all':
    case 'any':
      return evaluateParts(node, lookup);
    case 'compare': {
      const left = evaluate(node.left, lookup);
      const right = evaluate(node.right, lookup);
      if (left === unloaded || right === unloaded) return unloaded;
      return compare(left, node.comparison, right);
    }
  }
}

/** From left to right, until the answer is clear. */
function evaluateParts(
  node: { readonly kind: 'all' | 'any'; readonly parts: readonly ConditionNode[] },
  lookup: Lookup,
): Value {
  const deciding = node.kind === 'any';
  for (const part of node.parts) {
    const value = evaluate(part, lookup);
    if (value === unloaded) return unloaded;
    if (Boolean(value) === deciding) return deciding;
  }
  return !deciding;
}

function valueOf({ root, path }: Reference, lookup: Lookup): Value {
  const held = lookup(root);
  const found = held && followHeld(held, path);
  if (!found) return undefined;
  return 'value' in found && found.holes === undefined ? found.value : unloaded;
}

function exists({ root, path }: Reference, lookup: Lookup): Value {
  const held = lookup(root);
  const found = held && followHeld(held, path);
  if (!found) return false;
  return 'value' in found || found.path.length === 0 ? true : unloaded;
}

/** Nothing equals nothing else: with it only `!=` holds. Texts and numbers have an order. */
function compare(left: Json | undefined, comparison: Comparison, right: Json | undefined): boolean {
  if (left === undefined || right === undefined) return comparison === '!=';
  if (comparison === '==') return isSame(left, right);
  if (comparison === '!=') return !isSame(left, right);
  if (typeof left === 'number' && typeof right === 'number')
    return inOrder(left, comparison, right);
  return typeof left === 'string' && typeof right === 'string' && inOrder(left, comparison, right);
}

function inOrder<Ordered extends number | string>(
  left: Ordered,
  comparison: '<' | '<=' | '>' | '>=',
  right: Ordered,
): boolean {
  switch (comparison) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

/** Equal as JSON, whatever the order of keys; pairs to compare are kept in a list, not on the stack. */
function isSame(left: Json, right: Json): boolean {
  const pairs: [Json, Json | undefined][] = [[left, right]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    for (const key of keys) {
      const [inA, inB] = [own(a, key), own(b, key)];
      if (inA === undefined || inB === undefined) return false;
      pairs.push([inA, inB]);
    }
  }
  return true;
}

function own(value: object, key: string): Json | undefined {
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

type Comparison = '==' | '!=' | '<=' | '>=' | '<' | '>';

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
function readCondition(text: string): {
  readonly node: ConditionNode;
  readonly references: readonly Reference[];
} {
  if (text.length > maxLength) {
    throw new BadConditionError(text, `it has more than ${maxLength} characters`);
  }
  const reader: Reader = { text, at: 0, depth: 0, references: [] };
  const node = readAny(reader);
  skipSpace(reader);
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
  skipSpace(reader);
  if (!reader.text.startsWith(sign, reader.at)) return false;
  reader.at += sign.length;
  return true;
}

function skipSpace(reader: Reader): void {
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
