import type { CallRule, ComplexityRules, NodeRule, ScopeDescription } from '../complexity-rules.ts';
import { childIn, kindOf, noNode, parentOf, startOf, textOf } from '../flat-tree.ts';
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
import { anonymous, describeByFields } from './describe-scope.ts';
import { lookupTable } from '../../../../kernel/index.ts';

const jump: readonly NodeRule[] = [{ having: 'identifier', cognitive: 'flat' }];

/** Decisions as checkstyle's CyclomaticComplexity counts them; cognitive increments by the paper. */
export const javaRules: ComplexityRules = {
  nodes: {
    if_statement: [
      { under: ['if_statement'], field: 'alternative', decision: true, cognitive: 'flat' },
      branch,
    ],
    ternary_expression: [branch],
    for_statement: [branch],
    enhanced_for_statement: [branch],
    while_statement: [branch],
    do_statement: [branch],
    catch_clause: [branch],
    switch_expression: [{ cognitive: 'nested' }],
    switch_label: [{ having: 'case', decision: true }],
    guard: [{ decision: true }],
    ...operatorRules(['binary_expression']),
    break_statement: jump,
    continue_statement: jump,
  },
  regions: {
    'if_statement.consequence': { nests: true },
    'if_statement.alternative': { except: ['if_statement'], cognitive: 'flat', nests: true },
    'ternary_expression.consequence': { nests: true },
    'ternary_expression.alternative': { nests: true },
    'for_statement.body': { nests: true },
    'enhanced_for_statement.body': { nests: true },
    'while_statement.body': { nests: true },
    'do_statement.body': { nests: true },
    'catch_clause.body': { nests: true },
    'switch_expression.body': { nests: true },
  },
  scopes: {
    method_declaration: [functionScope],
    constructor_declaration: [functionScope],
    compact_constructor_declaration: [functionScope],
    static_initializer: [functionScope],
    block: [{ ...functionScope, when: isInstanceInitializer }],
    class_declaration: [typeScope],
    interface_declaration: [typeScope],
    enum_declaration: [typeScope],
    record_declaration: [typeScope],
    annotation_type_declaration: [typeScope],
    class_body: [{ ...typeScope, when: isAnonymousClass }],
    lambda_expression: [lambdaScope],
  },
  regionScopes: {},
  describe: describeJava,
  withoutDecisions: new Set(),
  logical: logicalRule(['binary_expression'], ['&&', '||']),
  calls: javaCalls(),
  halstead: {
    operations: new Set([
      'binary_expression',
      'unary_expression',
      'update_expression',
      'assignment_expression',
    ]),
    atoms: new Set([
      'identifier',
      'this',
      'true',
      'false',
      'null_literal',
      'string_literal',
      'character_literal',
      'decimal_integer_literal',
      'hex_integer_literal',
      'decimal_floating_point_literal',
    ]),
    members: new Set(['field_access']),
  },
  statements: /_statement$|_declaration$|^switch_expression$/,
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
  return describeByFields(tree, scope, { ignored: ['receiver_parameter'] });
}

function javaCalls(): CallRule {
  return {
    kind: 'method_invocation',
    isOverloaded: true,
    callee: (tree, call) => {
      const object = childIn(tree, call, 'object');
      if (object !== noNode && kindOf(tree, object) !== 'this') return undefined;
      return {
        name: textOf(tree, childIn(tree, call, 'name')),
        of: 'class',
        arguments: countArguments(tree, call),
      };
    },
  };
}
