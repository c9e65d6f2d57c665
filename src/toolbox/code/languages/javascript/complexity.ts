import { lookupTable } from '../../../../kernel/index.ts';
import type { CodeNode } from '../../complexity/code-tree.ts';
import {
  anonymous,
  operatorOf,
  type LanguageHooks,
  type ScopeDescription,
  type ScopeRule,
} from '../../complexity/complexity-rules.ts';

/** What `complexity.yaml` leaves to code. */
export const hooks: LanguageHooks = { describe: describeJavascript, isFree: isShortCircuitInJsx };

const logicalOperators = new Set(['&&', '||', '??']);

/** `{a && b && <p/>}` is how JSX writes a condition; SonarJS does not count it. */
function isShortCircuitInJsx(root: CodeNode): boolean {
  if (root.parent?.kind !== 'JSXExpressionContainer') return false;
  const operator = operatorOf(root, logicalOperators);
  const pending = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (operatorOf(node, logicalOperators) !== operator) return false;
    if (node.children.some(({ kind }) => kind === 'ConditionalExpression')) return false;
    pending.push(...node.children.filter(({ kind }) => kind === 'LogicalExpression'));
  }
  return true;
}

function describeJavascript(scope: CodeNode, type: ScopeRule['type']): ScopeDescription {
  if (type === 'initializer') return describeInitializer(scope);
  const namedBy = nameOf(scope);
  return {
    name: namedBy ? shorten(writtenName(namedBy)) : anonymous,
    start: (namedBy?.field === 'key' ? namedBy : scope).start,
    parameters: scope.children.filter(({ field }) => field === 'params').length,
  };
}

function describeInitializer(scope: CodeNode): ScopeDescription {
  const key = scope.kind === 'StaticBlock' ? undefined : scope.parent?.child('key');
  const name = key ? `${shorten(key.text)} <initializer>` : '<static>';
  return { name, start: scope.start, parameters: 0 };
}

/** The node that names a function or class: its own name, or the variable or key that it is the value of. */
function nameOf(scope: CodeNode): CodeNode | undefined {
  const { parent, field } = scope;
  const namingField = namingFields[`${parent?.kind}.${field}`];
  const assignedTo = namingField === undefined ? undefined : parent?.child(namingField);
  return scope.child('id') ?? assignedTo;
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

/** A variable's node includes its type annotation. */
function writtenName({ kind, text }: CodeNode): string {
  return kind === 'Identifier' ? (/^[^\s:?!]+/.exec(text)?.[0] ?? text) : text;
}

const maxNameLength = 80;

function shorten(name: string): string {
  const line = name.replaceAll(/\s+/g, ' ');
  return line.length > maxNameLength ? `${line.slice(0, maxNameLength)}…` : line;
}
