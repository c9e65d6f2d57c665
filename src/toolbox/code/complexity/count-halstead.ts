import type { ComplexityRules } from './complexity-rules.ts';
import {
  childrenOf,
  isNamed,
  kindOf,
  lastOf,
  parentOf,
  textOf,
  type FlatTree,
} from './flat-tree.ts';
import { pythonOperandKey, pythonOperation } from './python-operands.ts';

/** Halstead's counts as radon makes them: operators of expressions and what they apply to. */
export interface HalsteadCounts {
  readonly operators: number;
  readonly operands: number;
  readonly distinctOperators: number;
  readonly distinctOperands: number;
}

/** Operators and operands of every expression of a text; names are compared as they are written. */
export function countHalstead(tree: FlatTree, rule: ComplexityRules['halstead']): HalsteadCounts {
  const tally = new Tally();
  for (let node = 0; node < tree.kinds.length; node += 1) {
    if (!rule.operations.has(kindOf(tree, node))) continue;
    const isUnary =
      [...childrenOf(tree, node)].filter((child) => isNamed(tree, child)).length === 1;
    for (const child of childrenOf(tree, node)) {
      if (!isNamed(tree, child)) tally.operator(`${isUnary ? 'unary ' : ''}${kindOf(tree, child)}`);
      else tally.operand(atomKey(tree, rule, child) ?? child);
    }
  }
  return tally;
}

function atomKey(
  tree: FlatTree,
  rule: ComplexityRules['halstead'],
  operand: number,
): string | undefined {
  const kind = kindOf(tree, operand);
  if (rule.atoms.has(kind)) return textOf(tree, operand);
  if (!rule.members.has(kind)) return undefined;
  const parts = [...childrenOf(tree, operand)].filter((child) => isNamed(tree, child));
  const last = parts.at(-1);
  return last === undefined ? undefined : textOf(tree, last);
}

/** The same for Python, with radon's rules: names are told apart by the function they stand in. */
export function countPythonHalstead(tree: FlatTree): HalsteadCounts {
  const tally = new Tally();
  const contexts: { readonly last: number; readonly name: string }[] = [];
  let hiddenUntil = -1;
  for (let node = 0; node < tree.kinds.length; node += 1) {
    while ((contexts.at(-1)?.last ?? node) < node) contexts.pop();
    const kind = kindOf(tree, node);
    if (isHidden(tree, node)) hiddenUntil = Math.max(hiddenUntil, lastOf(tree, node));
    if (node <= hiddenUntil) continue;
    if (kind === 'function_definition') {
      const name = [...childrenOf(tree, node)].find((child) => tree.fields[child] === 'name');
      contexts.push({
        last: lastOf(tree, node),
        name: name === undefined ? '' : textOf(tree, name),
      });
    }
    const operation = pythonOperation(tree, node);
    if (!operation) continue;
    const context = contexts.at(-1)?.name ?? '';
    for (const operator of operation.operators) tally.operator(operator);
    for (const operand of operation.operands) {
      const key = pythonOperandKey(tree, operand);
      tally.operand(key === undefined ? operand : `${context} ${key}`);
    }
  }
  return tally;
}

/** radon reads of a function only its body. */
function isHidden(tree: FlatTree, node: number): boolean {
  const kind = kindOf(tree, node);
  const parent = parentOf(tree, node);
  const parentKind = kindOf(tree, parent);
  if (kind === 'decorator') {
    return kindOf(tree, lastChild(tree, parent)) === 'function_definition';
  }
  const field = tree.fields[node] ?? '';
  return parentKind === 'function_definition' && field !== 'body' && field !== '';
}

function lastChild(tree: FlatTree, node: number): number {
  return [...childrenOf(tree, node)].at(-1) ?? node;
}

/** Counts while it is told; what it was told is read from its properties. */
class Tally implements HalsteadCounts {
  operators = 0;
  operands = 0;
  readonly #operators = new Set<string>();
  readonly #operands = new Set<string | number>();

  operator(name: string): void {
    this.operators += 1;
    this.#operators.add(name);
  }

  /** A number stands for an operand that equals no other. */
  operand(key: string | number): void {
    this.operands += 1;
    this.#operands.add(key);
  }

  get distinctOperators(): number {
    return this.#operators.size;
  }

  get distinctOperands(): number {
    return this.#operands.size;
  }
}
