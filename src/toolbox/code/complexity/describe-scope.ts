import type { ScopeDescription } from './complexity-rules.ts';
import {
  childIn,
  childrenOf,
  fieldOf,
  isNamed,
  kindOf,
  noNode,
  startOf,
  textOf,
  type FlatTree,
} from './flat-tree.ts';

export const anonymous = '<anonymous>';

/** Name, place and parameters of a scope whose grammar puts them into fields; kinds in `ignored` are no parameters. */
export function describeByFields(
  tree: FlatTree,
  scope: number,
  ignored: readonly string[] = [],
): ScopeDescription {
  const name = childIn(tree, scope, 'name');
  return {
    name: name === noNode ? anonymous : textOf(tree, name),
    start: startOf(tree, name === noNode ? scope : name),
    parameters: countParameters(tree, childIn(tree, scope, 'parameters'), ignored),
  };
}

/** How many arguments a call passes. */
export function countArguments(tree: FlatTree, call: number): number {
  return namedChildren(tree, childIn(tree, call, 'arguments')).length;
}

/** Parameters in a list; a declaration of several names counts each. */
function countParameters(tree: FlatTree, list: number, ignored: readonly string[]): number {
  let count = 0;
  for (const child of namedChildren(tree, list)) {
    const kind = kindOf(tree, child);
    if (ignored.includes(kind)) continue;
    const names =
      kind === 'parameter_declaration'
        ? [...childrenOf(tree, child)].filter((part) => fieldOf(tree, part) === 'name').length
        : 0;
    count += Math.max(1, names);
  }
  return count;
}

function namedChildren(tree: FlatTree, list: number): readonly number[] {
  return list === noNode ? [] : [...childrenOf(tree, list)].filter((child) => isNamed(tree, child));
}
