import { isNode, nodeAt, nodesAt, stringAt, walkNodes, type TreeNode } from './tree-node.ts';

const maxNameParts = 12;
const maxExpressionNodes = 300;

/** Where a request's data enters: Express, Koa, Next, Lambda, and a page's own address. */
const requestData =
  /^(?:(?:this\.)?(?:req|request)\.(?:query|params|body|headers|cookies|url|originalUrl|files?|nextUrl)|(?:ctx|context)\.(?:query|params|request\.(?:body|query|headers|url))|event\.(?:queryStringParameters|pathParameters|body)|(?:window\.|document\.)?location\.(?:hash|search|href)|document\.(?:referrer|URL))(?:\.|$)/;

/** What is known of a whole script before its parts are judged. */
export class ScriptFacts {
  readonly text: string;
  /** Local name → what it stands for: `exec` → `child_process.exec`. */
  readonly #meanings = new Map<string, string>();
  readonly #fromRequest = new Set<string>();

  constructor(program: TreeNode, text: string) {
    this.text = text;
    walkNodes(program, (node) => {
      if (node.type === 'ImportDeclaration') this.#addImport(node);
      if (node.type === 'VariableDeclarator') this.#addVariable(node);
    });
  }

  /** The dotted name of an expression, imports resolved; empty for what is computed. */
  nameOf(node: TreeNode | undefined): string {
    const parts: string[] = [];
    let at = unwrap(node);
    while (at?.type === 'MemberExpression' && parts.length < maxNameParts) {
      parts.unshift(propertyName(at));
      at = unwrap(nodeAt(at, 'object'));
    }
    const first =
      at?.type === 'Identifier'
        ? stringAt(at, 'name')
        : at?.type === 'ThisExpression'
          ? 'this'
          : '';
    return [this.#meanings.get(first) ?? first, ...parts].join('.');
  }

  /** Whether data of a request flows in visibly: written here, or held by a variable named here. */
  isFromRequest(node: TreeNode | undefined): boolean {
    if (!node) return false;
    let found = false;
    walkNodes(
      node,
      (part) => {
        if (found) return;
        if (part.type === 'Identifier') found = this.#fromRequest.has(stringAt(part, 'name'));
        else if (part.type === 'MemberExpression') found = requestData.test(this.nameOf(part));
      },
      maxExpressionNodes,
    );
    return found;
  }

  #addImport(node: TreeNode): void {
    const module = moduleName(nodeAt(node, 'source'));
    for (const specifier of nodesAt(node, 'specifiers')) {
      const local = stringAt(nodeAt(specifier, 'local'), 'name');
      const imported = stringAt(nodeAt(specifier, 'imported'), 'name');
      this.#meanings.set(local, imported === '' ? module : `${module}.${imported}`);
    }
  }

  #addVariable(node: TreeNode): void {
    const target = nodeAt(node, 'id');
    const value = unwrap(nodeAt(node, 'init'));
    if (!target || !value) return;
    const required = requiredModule(value);
    if (required !== undefined) this.#addRequire(target, required);
    else if (this.isFromRequest(value)) {
      for (const name of boundNames(target)) this.#fromRequest.add(name);
    }
  }

  #addRequire(target: TreeNode, module: string): void {
    if (target.type === 'Identifier') this.#meanings.set(stringAt(target, 'name'), module);
    for (const property of nodesAt(target, 'properties')) {
      const local = stringAt(nodeAt(property, 'value'), 'name');
      const key = stringAt(nodeAt(property, 'key'), 'name');
      if (local !== '' && key !== '') this.#meanings.set(local, `${module}.${key}`);
    }
  }
}

function moduleName(source: TreeNode | undefined): string {
  return stringAt(source, 'value').replace(/^node:/, '');
}

/** `require('x')`, or `require('x').y` as `x.y`. */
function requiredModule(value: TreeNode): string | undefined {
  const isMember = value.type === 'MemberExpression';
  const call = isMember ? nodeAt(value, 'object') : value;
  if (call?.type !== 'CallExpression') return undefined;
  if (stringAt(nodeAt(call, 'callee'), 'name') !== 'require') return undefined;
  const [source] = nodesAt(call, 'arguments');
  if (typeof source?.['value'] !== 'string') return undefined;
  return isMember ? `${moduleName(source)}.${propertyName(value)}` : moduleName(source);
}

function boundNames(pattern: TreeNode): string[] {
  const names: string[] = [];
  walkNodes(
    pattern,
    (node, parent) => {
      const isKey = parent?.type === 'Property' && nodeAt(parent, 'key') === node;
      if (node.type === 'Identifier' && (!isKey || nodeAt(parent, 'value') === node)) {
        names.push(stringAt(node, 'name'));
      }
    },
    maxExpressionNodes,
  );
  return names;
}

/** The expression without `await`, type assertions and optional chaining around it. */
export function unwrap(node: TreeNode | undefined): TreeNode | undefined {
  let inner = node;
  for (let depth = 0; depth < maxNameParts && inner; depth += 1) {
    if (!wrappers.has(inner.type)) return inner;
    inner = nodeAt(inner, 'expression') ?? nodeAt(inner, 'argument');
  }
  return inner;
}

const wrappers = new Set([
  'AwaitExpression',
  'ChainExpression',
  'ParenthesizedExpression',
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSTypeAssertion',
]);

export function propertyName(member: TreeNode): string {
  const property = nodeAt(member, 'property') ?? nodeAt(member, 'key');
  if (!property) return '';
  if (member['computed'] === true) return textOf(property) ?? '';
  return stringAt(property, 'name') || stringAt(property, 'value');
}

/** The text of a literal or of a template or sum made of literals only; otherwise undefined. */
export function textOf(node: TreeNode | undefined): string | undefined {
  const inner = unwrap(node);
  if (!inner) return undefined;
  if (inner.type === 'Literal') {
    return typeof inner['value'] === 'string' ? inner['value'] : undefined;
  }
  if (inner.type === 'TemplateLiteral' && nodesAt(inner, 'expressions').length === 0) {
    const value = nodesAt(inner, 'quasis')[0]?.['value'];
    return typeof value === 'object' && value !== null && 'raw' in value ? String(value.raw) : '';
  }
  return undefined;
}

/** True for an expression that always has the same value. Bounded: a huge one counts as varying. */
export function isConstant(node: TreeNode | undefined): boolean {
  if (!node) return true;
  let constant = true;
  let seen = 0;
  walkNodes(
    node,
    (part) => {
      seen += 1;
      if (!constantTypes.has(part.type)) constant = false;
    },
    maxExpressionNodes,
  );
  return constant && seen < maxExpressionNodes;
}

const constantTypes = new Set([
  'Literal',
  'TemplateLiteral',
  'TemplateElement',
  'BinaryExpression',
]);

/** Text put together from parts of which one is not constant: `'a' + b`, `${b}`, 'a'.concat(b). */
export function isAssembledText(node: TreeNode | undefined): boolean {
  const inner = unwrap(node);
  if (!inner || isConstant(inner)) return false;
  if (inner.type === 'TemplateLiteral') return nodesAt(inner, 'expressions').length > 0;
  if (inner.type === 'BinaryExpression' && inner['operator'] === '+') return true;
  return (
    inner.type === 'CallExpression' && propertyName(nodeAt(inner, 'callee') ?? inner) === 'concat'
  );
}

/** The value of a property in an object literal. */
export function optionOf(object: TreeNode | undefined, name: string): TreeNode | undefined {
  const inner = unwrap(object);
  if (inner?.type !== 'ObjectExpression') return undefined;
  const property = nodesAt(inner, 'properties').find(
    (candidate) => candidate.type === 'Property' && propertyName(candidate) === name,
  );
  return nodeAt(property, 'value');
}

export function argumentAt(call: TreeNode, index: number): TreeNode | undefined {
  const value = call['arguments'];
  const argument: unknown = Array.isArray(value) ? value[index] : undefined;
  return isNode(argument) ? argument : undefined;
}

export function isLiteral(node: TreeNode | undefined, value: unknown): boolean {
  const inner = unwrap(node);
  return inner?.type === 'Literal' && inner['value'] === value;
}
