import { childIn, childrenOf, isNamed, noNode } from '../flat-tree.ts';
import type { FlatTree } from '../flat-tree.ts';

/** How many arguments a call passes. */
export function countArguments(tree: FlatTree, call: number): number {
  const list = childIn(tree, call, 'arguments');
  if (list === noNode) return 0;
  let count = 0;
  for (const child of childrenOf(tree, list)) if (isNamed(tree, child)) count += 1;
  return count;
}
