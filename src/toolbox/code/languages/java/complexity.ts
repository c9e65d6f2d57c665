import { lookupTable } from '../../../../kernel/index.ts';
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
  describe: describeJava,
  callee: javaCallee,
  conditions: {
    isInstanceInitializer: ({ parent }) => parent?.kind === 'class_body',
    isAnonymousClass: ({ parent }) =>
      parent?.kind === 'object_creation_expression' || parent?.kind === 'enum_constant',
  },
};

const unnamed: Readonly<Record<string, string>> = lookupTable({
  static_initializer: '<static>',
  block: '<init>',
  class_body: anonymous,
});

function describeJava(scope: CodeNode): ScopeDescription {
  const name = unnamed[scope.kind];
  if (name !== undefined) return { name, start: scope.start, parameters: 0 };
  return describeByFields(scope, ['receiver_parameter']);
}

function javaCallee(call: CodeNode): Callee | undefined {
  const object = call.child('object');
  if (object && object.kind !== 'this') return undefined;
  return { name: call.child('name')?.text ?? '', of: 'class', arguments: countArguments(call) };
}
