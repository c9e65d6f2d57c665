import type { Node } from 'web-tree-sitter';
import type { Grammar } from '../language.ts';
import { walkTree } from '../syntax-tree.ts';

/** A function of the code: not one inside another, which is a part of it. */
export interface FunctionSite {
  /** `add`, `Stack.push`. */
  readonly name: string;
  readonly line: number;
  readonly body: Node;
  /** Declared type of the result; empty without a declaration. */
  readonly returns: string;
  /** Programs start in it. */
  readonly isEntry: boolean;
}

interface Scope {
  readonly owner: string;
  readonly isNamed: boolean;
}

/** Functions with a body, in the order of the text. Programs start in `main`, which tests do not call. */
export function findFunctions(root: Node, grammar: Grammar): FunctionSite[] {
  const found: FunctionSite[] = [];
  walkTree<Scope>(root, { owner: '', isNamed: false }, (node, scope) => {
    if (isTestModule(node)) return undefined;
    const isFunction =
      grammar.functions.has(node.type) || (scope.isNamed && grammar.functionValues.has(node.type));
    const body = isFunction ? node.childForFieldName('body') : null;
    if (isFunction) {
      if (body) found.push(siteOf(node, body, scope.owner));
      return undefined;
    }
    if (grammar.functionValues.has(node.type)) return undefined;
    if (grammar.owners.has(node.type)) return { owner: nameOf(node, ''), isNamed: false };
    // Go names functions in lists: `var a, b = f, g`.
    const isNaming =
      namingNodes.has(node.type) || (scope.isNamed && node.type === 'expression_list');
    return { owner: isNaming ? nameOf(node, scope.owner) : scope.owner, isNamed: isNaming };
  });
  return found;
}

/** What gives a name to the function that is its value. */
const namingNodes: ReadonlySet<string> = new Set([
  'variable_declarator',
  'pair',
  'field_definition',
  'public_field_definition',
  'assignment_expression',
  'export_statement',
  'assignment',
  'var_spec',
]);

const nameFields = ['name', 'property', 'key', 'left', 'type'];

function siteOf(node: Node, body: Node, owner: string): FunctionSite {
  const own = node.childForFieldName('name')?.text ?? '';
  const receiver = /(\w+)\)$/.exec(node.childForFieldName('receiver')?.text ?? '')?.[1] ?? '';
  const parts = [receiver || owner, own].filter(Boolean);
  return {
    name: parts.join('.') || `function at line ${node.startPosition.row + 1}`,
    line: node.startPosition.row + 1,
    body,
    returns: (node.childForFieldName('result') ?? node.childForFieldName('type'))?.text ?? '',
    isEntry: own === 'main',
  };
}

const maxNameLength = 80;

function nameOf(node: Node, owner: string): string {
  for (const field of nameFields) {
    const name = node.childForFieldName(field)?.text;
    if (name !== undefined) return [owner, name.slice(0, maxNameLength)].filter(Boolean).join('.');
  }
  return owner;
}

/** `mod tests` beside the code of Rust. */
function isTestModule(node: Node): boolean {
  return node.type === 'mod_item' && node.childForFieldName('name')?.text === 'tests';
}

/** The condition of a statement or expression that has one; Python's `a if b else c` has no field for it. */
export function conditionOf(node: Node): Node | null {
  if (node.type === 'conditional_expression') return node.namedChild(1);
  if (node.type === 'if_clause') return node.namedChild(0);
  return node.childForFieldName('condition');
}
