import type { Callee, ComplexityRules, NodeRule, ScopeDescription } from '../complexity-rules.ts';
import { childIn, kindOf, startOf, textOf } from '../flat-tree.ts';
import type { FlatTree } from '../flat-tree.ts';
import {
  branch,
  functionScope,
  lambdaScope,
  logicalRule,
  operatorRules,
  typeScope,
} from './branch-rules.ts';
import { countArguments } from './count-arguments.ts';
import { describeByFields } from './describe-scope.ts';

const jump: readonly NodeRule[] = [{ having: 'label', cognitive: 'flat' }];

/**
 * Decisions as rust-code-analysis counts them (`if`, loops, each arm and guard of a `match`, `?`,
 * `&&`, `||`), and `let … else`, which it does not know; cognitive increments by the paper.
 */
export const rustRules: ComplexityRules = {
  nodes: {
    if_expression: [{ under: ['else_clause'], decision: true, cognitive: 'flat' }, branch],
    block: [{ under: ['else_clause'], cognitive: 'flat', nests: true }],
    let_declaration: [{ having: 'else', decision: true, cognitive: 'nested' }],
    for_expression: [branch],
    while_expression: [branch],
    loop_expression: [branch],
    match_expression: [{ cognitive: 'nested' }],
    match_arm: [{ decision: true }],
    match_pattern: [{ having: 'if', decision: true }],
    try_expression: [{ decision: true }],
    ...operatorRules(['binary_expression', 'let_chain']),
    break_expression: jump,
    continue_expression: jump,
  },
  regions: {
    'if_expression.consequence': { nests: true },
    'let_declaration.alternative': { nests: true },
    'for_expression.body': { nests: true },
    'while_expression.body': { nests: true },
    'loop_expression.body': { nests: true },
    'match_expression.body': { nests: true },
  },
  scopes: {
    function_item: [functionScope],
    impl_item: [typeScope],
    trait_item: [typeScope],
    closure_expression: [lambdaScope],
  },
  regionScopes: {},
  describe: describeRust,
  withoutDecisions: new Set(),
  logical: logicalRule(['binary_expression', 'let_chain'], ['&&', '||']),
  calls: { kind: 'call_expression', isOverloaded: false, callee: rustCallee },
  halstead: {
    operations: new Set([
      'binary_expression',
      'unary_expression',
      'compound_assignment_expr',
      'assignment_expression',
    ]),
    atoms: new Set([
      'identifier',
      'self',
      'integer_literal',
      'float_literal',
      'string_literal',
      'char_literal',
      'boolean_literal',
    ]),
    members: new Set(['field_expression']),
  },
  statements: /_statement$|_declaration$|_item$/,
};

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
