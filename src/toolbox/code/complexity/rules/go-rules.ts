import type { Callee, ComplexityRules, NodeRule, ScopeDescription } from '../complexity-rules.ts';
import { childIn, kindOf, lastOf, noNode, parentOf, startOf, textOf } from '../flat-tree.ts';
import type { FlatTree } from '../flat-tree.ts';
import { branch, functionScope, lambdaScope, logicalRule, operatorRules } from './branch-rules.ts';
import { countArguments } from './count-arguments.ts';
import { anonymous, describeByFields } from './describe-scope.ts';

const choice: readonly NodeRule[] = [{ cognitive: 'nested' }];
const option: readonly NodeRule[] = [{ decision: true, nests: true }];
const jump: readonly NodeRule[] = [{ having: 'label_name', cognitive: 'flat' }];

/** Decisions as gocyclo counts them; cognitive increments by the paper. */
export const goRules: ComplexityRules = {
  nodes: {
    if_statement: [
      { under: ['if_statement'], field: 'alternative', decision: true, cognitive: 'flat' },
      branch,
    ],
    for_statement: [branch],
    expression_switch_statement: choice,
    type_switch_statement: choice,
    select_statement: choice,
    expression_case: option,
    type_case: option,
    communication_case: option,
    default_case: [{ nests: true }],
    ...operatorRules(['binary_expression']),
    break_statement: jump,
    continue_statement: jump,
    goto_statement: [{ cognitive: 'flat' }],
  },
  regions: {
    'if_statement.consequence': { nests: true },
    'if_statement.alternative': { except: ['if_statement'], cognitive: 'flat', nests: true },
    'for_statement.body': { nests: true },
  },
  scopes: {
    function_declaration: [functionScope],
    method_declaration: [functionScope],
    func_literal: [{ ...functionScope, when: isTopLevelVariable }, lambdaScope],
  },
  regionScopes: {},
  describe: describeGo,
  withoutDecisions: new Set(),
  logical: logicalRule(['binary_expression'], ['&&', '||']),
  calls: { kind: 'call_expression', isOverloaded: false, callee: goCallee },
  halstead: {
    operations: new Set([
      'binary_expression',
      'unary_expression',
      'assignment_statement',
      'inc_statement',
      'dec_statement',
    ]),
    atoms: new Set([
      'identifier',
      'int_literal',
      'float_literal',
      'interpreted_string_literal',
      'raw_string_literal',
      'rune_literal',
      'true',
      'false',
      'nil',
    ]),
    members: new Set(['selector_expression']),
  },
  statements: /_statement$|_declaration$/,
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
