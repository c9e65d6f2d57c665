import type { Node } from 'web-tree-sitter';
import { partsOf } from '../walk-syntax-tree.ts';

/** What can be told of an expression without running it; a name or attribute stands for itself. */
export type PythonValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'list'; readonly items: readonly PythonValue[] }
  | { readonly kind: 'unknown' };

const unknown: PythonValue = { kind: 'unknown' };
const maxParentheses = 100;
const maxListDepth = 5;

/** The expression inside any parentheses. */
export function unwrap(node: Node): Node {
  let inner = node;
  for (let depth = 0; depth < maxParentheses; depth += 1) {
    const [only, ...more] = inner.type === 'parenthesized_expression' ? partsOf(inner) : [];
    if (!only || more.length > 0) return inner;
    inner = only;
  }
  return inner;
}

/** True for a text literal: neither bytes nor an f-string with something inserted. */
export function isText(node: Node | null | undefined): boolean {
  if (!node) return false;
  const inner = unwrap(node);
  if (inner.type === 'concatenated_string') return partsOf(inner).every((part) => isText(part));
  return inner.type === 'string' && !/^[a-zA-Z]*[bBfFtT]/.test(startOf(inner));
}

function startOf(node: Node): string {
  return node.firstChild?.type === 'string_start' ? node.firstChild.text : '';
}

export function textOf(node: Node): string {
  const inner = unwrap(node);
  if (inner.type === 'concatenated_string') return partsOf(inner).map(textOf).join('');
  return partsOf(inner)
    .filter((part) => part.type === 'string_content')
    .map((part) => part.text)
    .join('');
}

export function valueOf(node: Node | null | undefined, depth = 0): PythonValue {
  if (!node) return unknown;
  const inner = unwrap(node);
  switch (inner.type) {
    case 'string':
    case 'concatenated_string':
      return isText(inner) ? { kind: 'text', text: textOf(inner) } : unknown;
    case 'identifier':
    case 'true':
    case 'false':
    case 'none':
      return { kind: 'name', text: inner.text };
    case 'attribute':
      return { kind: 'name', text: inner.childForFieldName('attribute')?.text ?? '' };
    case 'integer':
    case 'float':
      return numberOf(inner.text);
    case 'list':
    case 'tuple':
      if (depth >= maxListDepth) return unknown;
      return { kind: 'list', items: partsOf(inner).map((item) => valueOf(item, depth + 1)) };
    default:
      return unknown;
  }
}

function numberOf(text: string): PythonValue {
  const octal = /^0([0-7]+)[lL]?$/.exec(text)?.[1];
  const number = Number(octal === undefined ? text.replaceAll('_', '') : `0o${octal}`);
  return Number.isNaN(number) ? unknown : { kind: 'number', number };
}

/** The arguments of a call. Splats count as positional, as they do for bandit. */
export interface PythonArguments {
  readonly positional: readonly Node[];
  readonly keywords: ReadonlyMap<string, Node>;
}

export function argumentsOf(call: Node): PythonArguments {
  const list = call.childForFieldName('arguments');
  const positional: Node[] = [];
  const keywords = new Map<string, Node>();
  for (const part of list?.type === 'argument_list' ? partsOf(list) : list ? [list] : []) {
    if (part.type === 'dictionary_splat') continue;
    const name =
      part.type === 'keyword_argument' ? part.childForFieldName('name')?.text : undefined;
    const value = part.childForFieldName('value');
    if (name !== undefined && value) keywords.set(name, value);
    else positional.push(part);
  }
  return { positional, keywords };
}

/** Whether a keyword is given as this name, constant or text: `debug=True`, `Loader=SafeLoader`. */
export function isKeyword(args: PythonArguments, keyword: string, expected: string): boolean {
  const value = valueOf(args.keywords.get(keyword));
  return (value.kind === 'name' || value.kind === 'text') && value.text === expected;
}

/** Parameters with a plain default value, in order, without those after `*`. */
export function defaultsOf(
  definition: Node,
): readonly { readonly name: string; readonly value: Node }[] {
  const found: { name: string; value: Node }[] = [];
  for (const parameter of partsOf(definition.childForFieldName('parameters'))) {
    if (parameter.type === 'keyword_separator' || parameter.type === 'list_splat_pattern') break;
    const name = parameter.childForFieldName('name')?.text;
    const value = parameter.childForFieldName('value');
    if (name !== undefined && value) found.push({ name, value });
  }
  return found;
}
