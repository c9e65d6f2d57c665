import type { Callee, LanguageHooks, ScopeDescription } from '../../complexity/complexity-rules.ts';
import { countArguments, describeByFields } from '../../complexity/describe-scope.ts';
import { childIn, kindOf, startOf, textOf } from '../../complexity/flat-tree.ts';
import type { FlatTree } from '../../complexity/flat-tree.ts';

/** What `complexity.yaml` leaves to code. */
export const hooks: LanguageHooks = { describe: describeRust, callee: rustCallee };

function describeRust(tree: FlatTree, scope: number): ScopeDescription {
  if (kindOf(tree, scope) !== 'impl_item') return describeByFields(tree, scope);
  return { name: typeName(tree, scope), start: startOf(tree, scope), parameters: 0 };
}

/** `impl<T> Trait for Foo<T>` belongs to `Foo`. */
function typeName(tree: FlatTree, implementation: number): string {
  const type = childIn(tree, implementation, 'type');
  if (kindOf(tree, type) === 'generic_type') return textOf(tree, childIn(tree, type, 'type'));
  return textOf(tree, type);
}

function rustCallee(tree: FlatTree, call: number): Callee | undefined {
  const target = childIn(tree, call, 'function');
  const count = countArguments(tree, call);
  switch (kindOf(tree, target)) {
    case 'identifier':
      return { name: textOf(tree, target), of: 'file', arguments: count };
    case 'field_expression':
      if (kindOf(tree, childIn(tree, target, 'value')) !== 'self') return undefined;
      return { name: textOf(tree, childIn(tree, target, 'field')), of: 'class', arguments: count };
    case 'scoped_identifier':
      return scopedCallee(tree, target, count);
    default:
      return undefined;
  }
}

function scopedCallee(tree: FlatTree, target: number, count: number): Callee {
  const owner = textOf(tree, childIn(tree, target, 'path'));
  const name = textOf(tree, childIn(tree, target, 'name'));
  if (owner === 'Self') return { name, of: 'class', arguments: count };
  return { name: `${owner}.${name}`, of: 'file', arguments: count };
}
