import type {
  ComplexityRules,
  NodeRule,
  ScopeDescription,
  ScopeRule,
} from '../complexity-rules.ts';
import {
  childIn,
  childrenOf,
  fieldOf,
  kindOf,
  noNode,
  parentOf,
  startOf,
  textOf,
} from '../flat-tree.ts';
import type { FlatTree } from '../flat-tree.ts';
import { operatorOf } from '../logical-sequences.ts';
import { anonymous } from './describe-scope.ts';
import { lookupTable } from '../../../../kernel/index.ts';

const loop: NodeRule = { decision: true, cognitive: 'nested' };
const jump: readonly NodeRule[] = [{ havingField: 'label', cognitive: 'flat' }];
const functionScope: ScopeRule = { type: 'function', ownsDecisions: true, cognitive: 'alone' };
const classScope: ScopeRule = { type: 'class', ownsDecisions: false, cognitive: 'same' };
const initializerScope: ScopeRule = { type: 'initializer', ownsDecisions: true, cognitive: 'same' };

const logicalOperators = new Set(['&&', '||', '??']);

/**
 * Decisions as ESLint's rule `complexity` counts them (classic variant), cognitive increments as
 * SonarJS does: every function alone, and of the logical operators only runs of `&&`.
 */
export const javascriptRules: ComplexityRules = {
  nodes: {
    IfStatement: [
      { under: ['IfStatement'], field: 'alternate', decision: true, cognitive: 'flat' },
      { decision: true, cognitive: 'nested' },
    ],
    ConditionalExpression: [loop],
    ForStatement: [loop],
    ForInStatement: [loop],
    ForOfStatement: [loop],
    WhileStatement: [loop],
    DoWhileStatement: [loop],
    CatchClause: [loop],
    SwitchStatement: [{ cognitive: 'nested' }],
    SwitchCase: [{ havingField: 'test', decision: true }],
    LogicalExpression: [{ decision: true }],
    AssignmentPattern: [{ decision: true }],
    AssignmentExpression: [
      { having: '&&=', decision: true },
      { having: '||=', decision: true },
      { having: '??=', decision: true },
    ],
    MemberExpression: [{ having: '?.', decision: true }],
    CallExpression: [{ having: '?.', decision: true }],
    BreakStatement: jump,
    ContinueStatement: jump,
  },
  regions: {
    'IfStatement.consequent': { nests: true },
    'IfStatement.alternate': { except: ['IfStatement'], cognitive: 'flat', nests: true },
    'ConditionalExpression.consequent': { nests: true },
    'ConditionalExpression.alternate': { nests: true },
    'ForStatement.body': { nests: true },
    'ForInStatement.body': { nests: true },
    'ForOfStatement.body': { nests: true },
    'WhileStatement.body': { nests: true },
    'DoWhileStatement.body': { nests: true },
    'CatchClause.body': { nests: true },
    'SwitchStatement.cases': { nests: true },
  },
  scopes: {
    FunctionDeclaration: [functionScope],
    FunctionExpression: [functionScope],
    ArrowFunctionExpression: [functionScope],
    ClassDeclaration: [classScope],
    ClassExpression: [classScope],
    StaticBlock: [initializerScope],
  },
  regionScopes: { 'PropertyDefinition.value': initializerScope },
  describe: describeJavascript,
  withoutDecisions: new Set(),
  logical: {
    kinds: new Set(['LogicalExpression']),
    operators: logicalOperators,
    counted: new Set(['&&']),
    transparent: new Set(),
    isFree: isShortCircuitInJsx,
  },
  halstead: {
    operations: new Set([
      'BinaryExpression',
      'LogicalExpression',
      'UnaryExpression',
      'UpdateExpression',
      'AssignmentExpression',
    ]),
    atoms: new Set(['Identifier', 'Literal', 'ThisExpression']),
    members: new Set(['MemberExpression']),
  },
  statements:
    /(?<!Block)Statement$|(?<!Variable)Declaration$|^VariableDeclarator$|^MethodDefinition$/,
};

/** `{a && b && <p/>}` is how JSX writes a condition; SonarJS does not count it. */
function isShortCircuitInJsx(tree: FlatTree, root: number): boolean {
  if (kindOf(tree, parentOf(tree, root)) !== 'JSXExpressionContainer') return false;
  const operator = kindOf(tree, operatorOf(tree, logicalOperators, root));
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (kindOf(tree, operatorOf(tree, logicalOperators, node)) !== operator) return false;
    for (const child of childrenOf(tree, node)) {
      if (kindOf(tree, child) === 'ConditionalExpression') return false;
      if (kindOf(tree, child) === 'LogicalExpression') pending.push(child);
    }
  }
  return true;
}

function describeJavascript(
  tree: FlatTree,
  scope: number,
  type: ScopeRule['type'],
): ScopeDescription {
  if (type === 'initializer') return describeInitializer(tree, scope);
  const namedBy = nameOf(tree, scope);
  let parameters = 0;
  for (const child of childrenOf(tree, scope))
    if (fieldOf(tree, child) === 'params') parameters += 1;
  return {
    name: namedBy === noNode ? anonymous : shorten(writtenName(tree, namedBy)),
    start: startOf(tree, isKey(tree, namedBy) ? namedBy : scope),
    parameters,
  };
}

function describeInitializer(tree: FlatTree, scope: number): ScopeDescription {
  if (kindOf(tree, scope) === 'StaticBlock') {
    return { name: '<static>', start: startOf(tree, scope), parameters: 0 };
  }
  const key = childIn(tree, parentOf(tree, scope), 'key');
  return {
    name: `${shorten(textOf(tree, key))} <initializer>`,
    start: startOf(tree, scope),
    parameters: 0,
  };
}

/** The node that names a function or class: its own name, or what its value is given to. */
function nameOf(tree: FlatTree, scope: number): number {
  const own = childIn(tree, scope, 'id');
  if (own !== noNode) return own;
  const parent = parentOf(tree, scope);
  const field = fieldOf(tree, scope);
  const place = `${kindOf(tree, parent)}.${field}`;
  const namingField = namingFields[place];
  return namingField === undefined ? noNode : childIn(tree, parent, namingField);
}

const namingFields: Readonly<Record<string, string>> = lookupTable({
  'VariableDeclarator.init': 'id',
  'AssignmentExpression.right': 'left',
  'AssignmentPattern.right': 'left',
  'Property.value': 'key',
  'MethodDefinition.value': 'key',
  'PropertyDefinition.value': 'key',
  'AccessorProperty.value': 'key',
});

function isKey(tree: FlatTree, node: number): boolean {
  return node !== noNode && fieldOf(tree, node) === 'key';
}

/** A variable's node includes its type annotation. */
function writtenName(tree: FlatTree, node: number): string {
  const text = textOf(tree, node);
  return kindOf(tree, node) === 'Identifier' ? (/^[^\s:?!]+/.exec(text)?.[0] ?? text) : text;
}

const maxNameLength = 80;

function shorten(name: string): string {
  const line = name.replaceAll(/\s+/g, ' ');
  return line.length > maxNameLength ? `${line.slice(0, maxNameLength)}…` : line;
}
