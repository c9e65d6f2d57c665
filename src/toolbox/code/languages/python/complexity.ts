import type { CodeNode } from '../../complexity/code-tree.ts';
import {
  countArguments,
  describeByFields,
  type Callee,
  type LanguageHooks,
} from '../../complexity/complexity-rules.ts';

/** What `complexity.yaml` leaves to code. */
export const hooks: LanguageHooks = {
  describe: (scope) => describeByFields(scope, ['keyword_separator', 'positional_separator']),
  callee: pythonCallee,
  isWrapped: isInsideDecoratorShape,
};

function pythonCallee(call: CodeNode): Callee | undefined {
  const target = call.child('function');
  const count = countArguments(call);
  if (target?.kind === 'identifier') return { name: target.text, of: 'file', arguments: count };
  if (target?.kind !== 'attribute') return undefined;
  const owner = target.child('object')?.text;
  if (owner !== 'self' && owner !== 'cls') return undefined;
  return { name: target.child('attribute')?.text ?? '', of: 'class', arguments: count };
}

/** A function that holds nothing but another one and a `return` is a decorator; it adds no level. */
function isInsideDecoratorShape(scope: CodeNode): boolean {
  const statement = scope.parent?.kind === 'decorated_definition' ? scope.parent : scope;
  const block = statement.parent;
  if (block?.parent?.kind !== 'function_definition') return false;
  const others = block.children.filter((child) => child !== statement && !isDocstring(child));
  return others.length === 1 && others[0]?.kind === 'return_statement';
}

function isDocstring({ kind, children }: CodeNode): boolean {
  return kind === 'expression_statement' && children.length === 1 && children[0]?.kind === 'string';
}
