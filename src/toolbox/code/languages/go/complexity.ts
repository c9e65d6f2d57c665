import type { CodeNode } from '../../complexity/code-tree.ts';
import {
  anonymous,
  countArguments,
  describeByFields,
  type Callee,
  type LanguageHooks,
  type ScopeDescription,
} from '../../complexity/complexity-rules.ts';

/** What `complexity.yaml` leaves to code. */
export const hooks: LanguageHooks = {
  describe: describeGo,
  callee: goCallee,
  conditions: { isTopLevelVariable },
};

/** `var f = func() {…}` at the top of a file is a function like any other. */
function isTopLevelVariable(node: CodeNode): boolean {
  const declared = node.parent?.parent;
  if (declared?.kind !== 'var_spec') return false;
  const list = declared.parent;
  const declaration = list?.kind === 'var_spec_list' ? list.parent : list;
  return declaration?.parent?.kind === 'source_file';
}

function describeGo(scope: CodeNode): ScopeDescription {
  const described = describeByFields(scope);
  if (scope.kind === 'func_literal') {
    return { ...described, name: scope.parent?.parent?.child('name')?.text ?? anonymous };
  }
  const receiver = receiverOf(scope);
  const name = receiver ? `${receiver.type}.${described.name}` : described.name;
  return { ...described, start: scope.start, name };
}

/** `(r *T[K])` is `{ name: 'r', type: 'T' }`. */
function receiverOf(scope: CodeNode): { name: string; type: string } | undefined {
  let name: string | undefined;
  const pending = [scope.child('receiver')];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.kind === 'identifier') name ??= node.text;
    if (node.kind === 'type_identifier') return { name: name ?? '', type: node.text };
    pending.push(...node.children.toReversed());
  }
  return undefined;
}

function goCallee(call: CodeNode, scope: CodeNode): Callee | undefined {
  const target = call.child('function');
  const count = countArguments(call);
  if (target?.kind === 'identifier') return { name: target.text, of: 'file', arguments: count };
  const receiver = receiverOf(scope);
  if (target?.kind !== 'selector_expression' || !receiver) return undefined;
  if (target.child('operand')?.text !== receiver.name) return undefined;
  const name = `${receiver.type}.${target.child('field')?.text}`;
  return { name, of: 'file', arguments: count };
}
