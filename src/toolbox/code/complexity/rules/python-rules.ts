import type { CallRule, ComplexityRules } from '../complexity-rules.ts';
import { childrenOf, kindOf, parentOf, childIn, lastOf, textOf } from '../flat-tree.ts';
import type { FlatTree } from '../flat-tree.ts';
import { describeByFields } from './describe-scope.ts';
import { branch, functionScope, lambdaScope, logicalRule } from './branch-rules.ts';
import { countArguments } from './count-arguments.ts';

/** Decisions as radon counts them, cognitive increments as SonarSource's paper defines them. */
export const pythonRules: ComplexityRules = {
  nodes: {
    if_statement: [branch],
    elif_clause: [{ decision: true, cognitive: 'flat' }],
    // radon counts the `else` of loops and of `try`, not that of `if`.
    else_clause: [
      { under: ['if_statement'], cognitive: 'flat', nests: true },
      { decision: true, cognitive: 'flat', nests: true },
    ],
    conditional_expression: [{ ...branch, nests: true }],
    for_statement: [branch],
    while_statement: [branch],
    // radon does not know `except*`.
    except_clause: [
      { having: '*', cognitive: 'nested', nests: true },
      { ...branch, nests: true },
    ],
    match_statement: [{ cognitive: 'nested' }],
    boolean_operator: [{ decision: true }],
    for_in_clause: [{ decision: true }],
    if_clause: [{ under: ['case_clause'] }, { decision: true }],
    assert_statement: [{ decision: true }],
  },
  regions: {
    'if_statement.consequence': { nests: true },
    'elif_clause.consequence': { nests: true },
    'for_statement.body': { nests: true },
    'while_statement.body': { nests: true },
    'match_statement.body': { nests: true },
  },
  scopes: {
    function_definition: [functionScope],
    class_definition: [{ type: 'class', ownsDecisions: true, cognitive: 'same' }],
    lambda: [lambdaScope],
  },
  regionScopes: {},
  describe: (tree, scope) =>
    describeByFields(tree, scope, { ignored: ['keyword_separator', 'positional_separator'] }),
  withoutDecisions: new Set([
    'decorator',
    'assert_statement',
    'function_definition.parameters',
    'function_definition.return_type',
    'function_definition.type_parameters',
    'class_definition.superclasses',
    'class_definition.type_parameters',
  ]),
  logical: logicalRule(['boolean_operator'], ['and', 'or']),
  calls: pythonCalls(),
  isWrapped: isInsideDecoratorShape,
  halstead: {
    operations: new Set([
      'binary_operator',
      'unary_operator',
      'not_operator',
      'boolean_operator',
      'augmented_assignment',
      'comparison_operator',
    ]),
    atoms: new Set(['identifier', 'integer', 'float', 'string', 'true', 'false', 'none']),
    members: new Set(['attribute']),
  },
  statements: /_statement$|_definition$/,
};

function pythonCalls(): CallRule {
  return {
    kind: 'call',
    isOverloaded: false,
    callee: (tree, call) => {
      const target = childIn(tree, call, 'function');
      const count = countArguments(tree, call);
      if (kindOf(tree, target) === 'identifier') {
        return { name: textOf(tree, target), of: 'file', arguments: count };
      }
      if (kindOf(tree, target) !== 'attribute') return undefined;
      const owner = textOf(tree, childIn(tree, target, 'object'));
      if (owner !== 'self' && owner !== 'cls') return undefined;
      return {
        name: textOf(tree, childIn(tree, target, 'attribute')),
        of: 'class',
        arguments: count,
      };
    },
  };
}

/** A function that holds nothing but another one and a `return` is a decorator; it adds no level. */
function isInsideDecoratorShape(tree: FlatTree, scope: number): boolean {
  let statement = scope;
  if (kindOf(tree, parentOf(tree, statement)) === 'decorated_definition') {
    statement = parentOf(tree, statement);
  }
  const block = parentOf(tree, statement);
  if (kindOf(tree, parentOf(tree, block)) !== 'function_definition') return false;
  let returns = 0;
  for (const child of childrenOf(tree, block)) {
    if (child === statement || isDocstring(tree, child)) continue;
    if (kindOf(tree, child) !== 'return_statement') return false;
    returns += 1;
  }
  return returns === 1;
}

function isDocstring(tree: FlatTree, statement: number): boolean {
  if (kindOf(tree, statement) !== 'expression_statement') return false;
  const only = statement + 1;
  return kindOf(tree, only) === 'string' && lastOf(tree, only) === lastOf(tree, statement);
}
