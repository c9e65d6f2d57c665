import type { Node } from 'web-tree-sitter';
import { lineOf, partsOf } from '../walk-syntax-tree.ts';
import { argumentsOf, isText, unwrap } from './python-values.ts';

const maxDepth = 8;
const maxAncestors = 1_000;

/**
 * Whether `mark_safe(argument)` may pass on text from outside: everything but literals, names that
 * only ever hold literals before the call, and "…".format(…) or "…" % … of such.
 */
export function isUnsafeMarkSafe(call: Node, argument: Node | undefined): boolean {
  if (!argument || isText(argument)) return false;
  return !isSafe(unwrap(argument), { scope: scopeOf(call), untilLine: lineOf(call), depth: 0 });
}

interface Setting {
  readonly scope: Node;
  /** Only what is assigned above this line counts. */
  readonly untilLine: number;
  readonly depth: number;
}

function scopeOf(node: Node): Node {
  let scope = node;
  for (let step = 0; step < maxAncestors && scope.parent; step += 1) {
    scope = scope.parent;
    if (scope.type === 'function_definition') break;
  }
  return scope;
}

function isSafe(node: Node, setting: Setting): boolean {
  if (setting.depth > maxDepth) return false;
  if (isText(node)) return true;
  switch (node.type) {
    case 'identifier':
      return isSafeName(node.text, setting);
    case 'call':
      return isSafeFormat(node, setting);
    case 'binary_operator':
      return isSafeModulo(node, setting);
    default:
      return false;
  }
}

function isSafeName(name: string, setting: Setting): boolean {
  if (parameterNames(setting.scope).includes(name)) return false;
  const body = setting.scope.childForFieldName('body') ?? setting.scope;
  const before = partsOf(body).filter((statement) => lineOf(statement) < setting.untilLine);
  const values = before.flatMap((statement) => assignedValues(statement, name));
  return (
    values.length > 0 &&
    values.every((value) =>
      isSafe(unwrap(value), { ...setting, untilLine: lineOf(value), depth: setting.depth + 1 }),
    )
  );
}

function parameterNames(scope: Node): string[] {
  return partsOf(scope.childForFieldName('parameters')).map(
    (parameter) => (parameter.childForFieldName('name') ?? parameter).text.split(':')[0] ?? '',
  );
}

function assignedValues(statement: Node, name: string): Node[] {
  return statement
    .descendantsOfType(['assignment', 'augmented_assignment'])
    .flatMap((assignment) => valueFor(assignment, name) ?? []);
}

function valueFor(assignment: Node, name: string): Node | undefined {
  const left = assignment.childForFieldName('left');
  const right = assignment.childForFieldName('right');
  if (!left || !right) return undefined;
  if (left.type === 'identifier') return left.text === name ? right : undefined;
  const position = partsOf(left).findIndex((target) => target.text === name);
  if (left.type !== 'pattern_list' || position < 0) return undefined;
  return partsOf(right)[position] ?? right;
}

function isSafeFormat(call: Node, setting: Setting): boolean {
  const target = call.childForFieldName('function');
  if (target?.type !== 'attribute' || target.childForFieldName('attribute')?.text !== 'format') {
    return false;
  }
  const args = argumentsOf(call);
  if (!isText(target.childForFieldName('object')) || args.keywords.size > 0) return false;
  return args.positional.every((argument) => isSafeArgument(argument, setting));
}

function isSafeModulo(node: Node, setting: Setting): boolean {
  const right = node.childForFieldName('right');
  if (node.childForFieldName('operator')?.text !== '%' || !right) return false;
  if (!isText(node.childForFieldName('left'))) return false;
  const values = unwrap(right).type === 'tuple' ? partsOf(unwrap(right)) : [right];
  return values.every((value) => isSafeArgument(value, setting));
}

function isSafeArgument(argument: Node, setting: Setting): boolean {
  const inner = unwrap(argument);
  const splat = inner.type === 'list_splat' ? partsOf(inner)[0] : undefined;
  if (splat && (splat.type === 'list' || splat.type === 'tuple')) {
    return partsOf(splat).every((item) =>
      isSafe(unwrap(item), { ...setting, depth: setting.depth + 1 }),
    );
  }
  if (inner.type === 'binary_operator') return false;
  return isSafe(inner, { ...setting, depth: setting.depth + 1 });
}
