import type { ScopeDescription } from '../complexity-rules.ts';
import { childIn, childrenOf, isNamed, kindOf, noNode, startOf, textOf } from '../flat-tree.ts';
import type { FlatTree } from '../flat-tree.ts';

export const anonymous = '<anonymous>';

export interface DescribeOptions {
  readonly nameField?: string;
  readonly parametersField?: string;
  /** Kinds among the parameters that are none. */
  readonly ignored?: readonly string[];
}

/** Name, place and parameters of a scope whose grammar puts them into fields. */
export function describeByFields(
  tree: FlatTree,
  scope: number,
  options: DescribeOptions = {},
): ScopeDescription {
  const name = childIn(tree, scope, options.nameField ?? 'name');
  const parameters = childIn(tree, scope, options.parametersField ?? 'parameters');
  return {
    name: name === noNode ? anonymous : textOf(tree, name),
    start: startOf(tree, name === noNode ? scope : name),
    parameters: countParameters(tree, parameters, options.ignored ?? []),
  };
}

/** Parameters in a list; a declaration of several names counts each. */
function countParameters(tree: FlatTree, list: number, ignored: readonly string[]): number {
  if (list === noNode) return 0;
  let count = 0;
  for (const child of childrenOf(tree, list)) {
    if (!isNamed(tree, child) || ignored.includes(kindOf(tree, child))) continue;
    let names = 0;
    if (kindOf(tree, child) === 'parameter_declaration') {
      for (const part of childrenOf(tree, child)) if (tree.fields[part] === 'name') names += 1;
    }
    count += Math.max(1, names);
  }
  return count;
}
