import type { Callee, LanguageHooks, ScopeDescription } from '../../complexity/complexity-rules.ts';
import { anonymous, countArguments, describeByFields } from '../../complexity/describe-scope.ts';
import { childIn, kindOf, noNode, parentOf, startOf, textOf } from '../../complexity/flat-tree.ts';
import type { FlatTree } from '../../complexity/flat-tree.ts';
import { lookupTable } from '../../../../kernel/index.ts';

/** What `complexity.yaml` leaves to code. */
export const hooks: LanguageHooks = {
  describe: describeJava,
  callee: javaCallee,
  conditions: { isInstanceInitializer, isAnonymousClass },
};

function isInstanceInitializer(tree: FlatTree, node: number): boolean {
  return kindOf(tree, parentOf(tree, node)) === 'class_body';
}

function isAnonymousClass(tree: FlatTree, node: number): boolean {
  const parent = kindOf(tree, parentOf(tree, node));
  return parent === 'object_creation_expression' || parent === 'enum_constant';
}

const unnamed: Readonly<Record<string, string>> = lookupTable({
  static_initializer: '<static>',
  block: '<init>',
  class_body: anonymous,
});

function describeJava(tree: FlatTree, scope: number): ScopeDescription {
  const name = unnamed[kindOf(tree, scope)];
  if (name !== undefined) return { name, start: startOf(tree, scope), parameters: 0 };
  return describeByFields(tree, scope, ['receiver_parameter']);
}

function javaCallee(tree: FlatTree, call: number): Callee | undefined {
  const object = childIn(tree, call, 'object');
  if (object !== noNode && kindOf(tree, object) !== 'this') return undefined;
  const name = textOf(tree, childIn(tree, call, 'name'));
  return { name, of: 'class', arguments: countArguments(tree, call) };
}
