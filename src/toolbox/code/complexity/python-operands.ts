import {
  childIn,
  childrenOf,
  isNamed,
  kindOf,
  parentOf,
  textOf,
  type FlatTree,
} from './flat-tree.ts';
import { lookupTable } from '../../../kernel/index.ts';

export interface Operation {
  readonly operators: readonly string[];
  readonly operands: readonly number[];
}

const prefixes: Readonly<Record<string, string>> = lookupTable({
  binary_operator: 'binary',
  augmented_assignment: 'binary',
  unary_operator: 'unary',
  not_operator: 'unary',
  comparison_operator: 'compare',
  boolean_operator: 'logical',
});

/** What radon sees as one operation: a chain of one logical operator, or all of a comparison. */
export function pythonOperation(tree: FlatTree, node: number): Operation | undefined {
  const kind = kindOf(tree, node);
  const prefix = prefixes[kind];
  if (prefix === undefined) return undefined;
  if (kind === 'boolean_operator') return logicalChain(tree, node);
  const operators: string[] = [];
  const operands: number[] = [];
  for (const child of childrenOf(tree, node)) {
    if (isNamed(tree, child)) operands.push(child);
    else operators.push(`${prefix} ${operatorName(kind, kindOf(tree, child))}`);
  }
  return { operators, operands };
}

function operatorName(kind: string, token: string): string {
  return kind === 'augmented_assignment' ? token.slice(0, -1) : token;
}

function logicalChain(tree: FlatTree, node: number): Operation | undefined {
  const operator = operatorToken(tree, node);
  const parent = parentOf(tree, node);
  const isContinued =
    kindOf(tree, parent) === 'boolean_operator' &&
    tree.fields[node] === 'left' &&
    operatorToken(tree, parent) === operator;
  if (isContinued) return undefined;
  const operands: number[] = [];
  let left = node;
  while (kindOf(tree, left) === 'boolean_operator' && operatorToken(tree, left) === operator) {
    operands.push(childIn(tree, left, 'right'));
    left = childIn(tree, left, 'left');
  }
  operands.push(left);
  return { operators: [`logical ${operator}`], operands };
}

function operatorToken(tree: FlatTree, node: number): string {
  return kindOf(tree, childIn(tree, node, 'operator'));
}

/** Equal for operands that Python holds to be equal; `undefined` for what equals nothing else. */
export function pythonOperandKey(tree: FlatTree, operand: number): string | undefined {
  let node = operand;
  while (kindOf(tree, node) === 'parenthesized_expression') {
    const inner = [...childrenOf(tree, node)].find((child) => isNamed(tree, child));
    if (inner === undefined) return undefined;
    node = inner;
  }
  switch (kindOf(tree, node)) {
    case 'identifier':
      return `text ${textOf(tree, node)}`;
    case 'attribute':
      return `text ${textOf(tree, childIn(tree, node, 'attribute'))}`;
    case 'true':
      return 'number 1';
    case 'false':
      return 'number 0';
    case 'none':
    case 'ellipsis':
      return kindOf(tree, node);
    case 'integer':
    case 'float':
      return numberKey(textOf(tree, node));
    case 'string':
      return stringKey(tree, [node]);
    case 'concatenated_string':
      return stringKey(
        tree,
        [...childrenOf(tree, node)].filter((child) => kindOf(tree, child) === 'string'),
      );
    default:
      return undefined;
  }
}

/** `1`, `0x1` and `1.0` are one operand. */
function numberKey(written: string): string {
  const text = written.replaceAll('_', '').toLowerCase();
  if (text.endsWith('j')) return `imaginary ${Number(text.slice(0, -1))}`;
  if (/^(\d+|0[xob][0-9a-f]+)$/.test(text))
    return `number ${BigInt(text.replace(/^0+(?=\d)/, ''))}`;
  const value = Number(text);
  return Number.isInteger(value) ? `number ${BigInt(value)}` : `number ${value}`;
}

function stringKey(tree: FlatTree, strings: readonly number[]): string | undefined {
  let value = '';
  let isBytes = false;
  for (const string of strings) {
    const match = /^([a-z]*)("""|'''|"|')([^]*)\2$/i.exec(textOf(tree, string));
    if (!match) return undefined;
    const [, prefix = '', , content = ''] = match;
    const marks = prefix.toLowerCase();
    if (marks.includes('f')) return undefined;
    isBytes ||= marks.includes('b');
    value += marks.includes('r') ? content : unescape(content);
  }
  return `${isBytes ? 'bytes' : 'text'} ${value}`;
}

const simpleEscapes: Readonly<Record<string, string>> = lookupTable({
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
});

function unescape(content: string): string {
  return content.replaceAll(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([0-7]{1,3})|([^]))/gi,
    (...groups: readonly (string | undefined)[]) => decodeEscape(groups),
  );
}

function decodeEscape(groups: readonly (string | undefined)[]): string {
  const [whole = '', hex, short, long, octal, simple = ''] = groups;
  const digits = hex ?? short ?? long;
  if (digits !== undefined) return fromCodePoint(Number.parseInt(digits, 16), whole);
  if (octal !== undefined) return fromCodePoint(Number.parseInt(octal, 8), whole);
  return simpleEscapes[simple] ?? whole;
}

function fromCodePoint(code: number, fallback: string): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : fallback;
}
