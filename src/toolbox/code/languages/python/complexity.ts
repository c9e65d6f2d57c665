import type { Callee, LanguageHooks } from '../../complexity/complexity-rules.ts';
import { countArguments, describeByFields } from '../../complexity/describe-scope.ts';
import {
  childIn,
  childrenOf,
  kindOf,
  lastOf,
  parentOf,
  textOf,
} from '../../complexity/flat-tree.ts';
import type { FlatTree } from '../../complexity/flat-tree.ts';

/** What `complexity.yaml` leaves to code. */
export const hooks: LanguageHooks = {
  describe: (tree, scope) =>
    describeByFields(tree, scope, ['keyword_separator', 'positional_separator']),
  callee: pythonCallee,
  isWrapped: isInsideDecoratorShape,
};

function pythonCallee(tree: FlatTree, call: number): Callee | undefined {
  const target = childIn(tree, call, 'function');
  const count = countArguments(tree, call);
  if (kindOf(tree, target) === 'identifier') {
    return { name: textOf(tree, target), of: 'file', arguments: count };
  }
  if (kindOf(tree, target) !== 'attribute') return undefined;
  const owner = textOf(tree, childIn(tree, target, 'object'));
  if (owner !== 'self' && owner !== 'cls') return undefined;
  const name = textOf(tree, childIn(tree, target, 'attribute'));
  return { name, of: 'class', arguments: count };
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
