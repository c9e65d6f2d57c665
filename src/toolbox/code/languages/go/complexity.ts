import type { LanguageHooks } from '../../complexity/complexity-rules.ts';
import type { Callee, ScopeDescription } from '../../complexity/complexity-rules.ts';
import { anonymous, countArguments, describeByFields } from '../../complexity/describe-scope.ts';
import {
  childIn,
  kindOf,
  lastOf,
  noNode,
  parentOf,
  startOf,
  textOf,
} from '../../complexity/flat-tree.ts';
import type { FlatTree } from '../../complexity/flat-tree.ts';

/** What `complexity.yaml` leaves to code. */
export const hooks: LanguageHooks = {
  describe: describeGo,
  callee: goCallee,
  conditions: { isTopLevelVariable },
};

/** `var f = func() {…}` at the top of a file is a function like any other. */
function isTopLevelVariable(tree: FlatTree, node: number): boolean {
  let outer = parentOf(tree, parentOf(tree, node));
  if (kindOf(tree, outer) !== 'var_spec') return false;
  outer = parentOf(tree, outer);
  if (kindOf(tree, outer) === 'var_spec_list') outer = parentOf(tree, outer);
  return kindOf(tree, parentOf(tree, outer)) === 'source_file';
}

function describeGo(tree: FlatTree, scope: number): ScopeDescription {
  const described = describeByFields(tree, scope);
  if (kindOf(tree, scope) === 'func_literal') {
    const name = childIn(tree, parentOf(tree, parentOf(tree, scope)), 'name');
    return { ...described, name: name === noNode ? anonymous : textOf(tree, name) };
  }
  const receiver = receiverOf(tree, scope);
  const start = startOf(tree, scope);
  if (!receiver) return { ...described, start };
  return { ...described, start, name: `${receiver.type}.${described.name}` };
}

/** `(r *T[K])` is `{ name: 'r', type: 'T' }`. */
function receiverOf(tree: FlatTree, scope: number): { name: string; type: string } | undefined {
  const list = childIn(tree, scope, 'receiver');
  if (list === noNode) return undefined;
  let name = '';
  for (let node = list + 1; node <= lastOf(tree, list); node += 1) {
    const kind = kindOf(tree, node);
    if (kind === 'identifier' && name === '') name = textOf(tree, node);
    if (kind === 'type_identifier') return { name, type: textOf(tree, node) };
  }
  return undefined;
}

function goCallee(tree: FlatTree, call: number, scope: number): Callee | undefined {
  const target = childIn(tree, call, 'function');
  const count = countArguments(tree, call);
  if (kindOf(tree, target) === 'identifier') {
    return { name: textOf(tree, target), of: 'file', arguments: count };
  }
  const receiver = receiverOf(tree, scope);
  if (kindOf(tree, target) !== 'selector_expression' || !receiver) return undefined;
  if (textOf(tree, childIn(tree, target, 'operand')) !== receiver.name) return undefined;
  const name = textOf(tree, childIn(tree, target, 'field'));
  return { name: `${receiver.type}.${name}`, of: 'file', arguments: count };
}
