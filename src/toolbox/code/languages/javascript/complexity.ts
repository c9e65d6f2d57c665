import type {
  LanguageHooks,
  ScopeDescription,
  ScopeRule,
} from '../../complexity/complexity-rules.ts';
import { anonymous } from '../../complexity/describe-scope.ts';
import {
  childIn,
  childrenOf,
  fieldOf,
  kindOf,
  noNode,
  parentOf,
  startOf,
  textOf,
} from '../../complexity/flat-tree.ts';
import type { FlatTree } from '../../complexity/flat-tree.ts';
import { operatorOf } from '../../complexity/logical-sequences.ts';
import { lookupTable } from '../../../../kernel/index.ts';

/** What `complexity.yaml` leaves to code. */
export const hooks: LanguageHooks = { describe: describeJavascript, isFree: isShortCircuitInJsx };

const logicalOperators = new Set(['&&', '||', '??']);

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
