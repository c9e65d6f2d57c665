import type { CodeNode } from '../../complexity/code-tree.ts';
import {
  countArguments,
  describeByFields,
  type Callee,
  type LanguageHooks,
  type ScopeDescription,
} from '../../complexity/complexity-rules.ts';

/** What `complexity.yaml` leaves to code. */
export const hooks: LanguageHooks = { describe: describeRust, callee: rustCallee };

function describeRust(scope: CodeNode): ScopeDescription {
  if (scope.kind !== 'impl_item') return describeByFields(scope);
  // `impl<T> Trait for Foo<T>` belongs to `Foo`.
  const type = scope.child('type');
  const named = type?.kind === 'generic_type' ? type.child('type') : type;
  return { name: named?.text ?? '', start: scope.start, parameters: 0 };
}

function rustCallee(call: CodeNode): Callee | undefined {
  const target = call.child('function');
  if (!target) return undefined;
  const count = countArguments(call);
  switch (target.kind) {
    case 'identifier':
      return { name: target.text, of: 'file', arguments: count };
    case 'field_expression':
      if (target.child('value')?.kind !== 'self') return undefined;
      return { name: target.child('field')?.text ?? '', of: 'class', arguments: count };
    case 'scoped_identifier': {
      const owner = target.child('path')?.text ?? '';
      const name = target.child('name')?.text ?? '';
      if (owner === 'Self') return { name, of: 'class', arguments: count };
      return { name: `${owner}.${name}`, of: 'file', arguments: count };
    }
    default:
      return undefined;
  }
}
