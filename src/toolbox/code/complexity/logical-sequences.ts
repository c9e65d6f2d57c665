import type { ComplexityRules } from './complexity-rules.ts';
import { childrenOf, kindOf, noNode, parentOf, type FlatTree } from './flat-tree.ts';

/** Watches `&&` and `||` go by, in source order, and tells where a run of one operator begins. */
export interface Sequences {
  isNewRun(node: number): boolean;
}

interface Run {
  readonly isFree: boolean;
  operator: string;
}

/**
 * `a && b && c || d` has two runs. An expression continues the runs of the one it is an operand of,
 * through parentheses but not through a negation or a call.
 */
export function startSequences(
  tree: FlatTree,
  { logical: rule, isFree }: ComplexityRules,
): Sequences {
  const runs = new Map<number, Run>();
  return {
    isNewRun: (node) => {
      const kind = kindOf(tree, node);
      const parent = parentOf(tree, node);
      const outerRun = runs.get(parent);
      if (outerRun && rule.transparent.has(kind)) runs.set(node, outerRun);
      else if (isLogical(tree, rule, node)) {
        runs.set(node, outerRun ?? { isFree: isFree?.(tree, node) ?? false, operator: '' });
      }
      if (!outerRun || !rule.operators.has(kind)) return false;
      const isNew = outerRun.operator !== kind && rule.counted.has(kind) && !outerRun.isFree;
      outerRun.operator = kind;
      return isNew;
    },
  };
}

function isLogical(tree: FlatTree, rule: ComplexityRules['logical'], node: number): boolean {
  if (!rule.kinds.has(kindOf(tree, node))) return false;
  return operatorOf(tree, rule.operators, node) !== noNode;
}

/** The first operator among `operators` that joins the parts of `node`. */
export function operatorOf(tree: FlatTree, operators: ReadonlySet<string>, node: number): number {
  for (const child of childrenOf(tree, node)) if (operators.has(kindOf(tree, child))) return child;
  return noNode;
}
