import { SyntaxTrees } from '../../src/toolbox/code/syntax-tree.ts';
import { execFileSync } from 'node:child_process';
import {
  parseJavascript,
  type JavascriptDialect,
} from '../../src/toolbox/code/engines/javascript-tree.ts';

/** Python's own tree of two texts, but for the space in docstrings, which Black style normalises. */
const comparePython = `
import ast, json, sys

def tree(text):
    root = ast.parse(text)
    for node in ast.walk(root):
        body = getattr(node, 'body', None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            value = body[0].value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                value.value = ' '.join(value.value.split())
    return ast.dump(root)

for line in sys.stdin:
    before, after = json.loads(line)
    try:
        print('same' if tree(before) == tree(after) else 'different')
    except (SyntaxError, ValueError, RecursionError) as error:
        print('invalid')
`;

/** For each pair of texts: whether Python itself reads the same program in both. */
export function comparePythonTrees(
  pairs: readonly (readonly [string, string])[],
): readonly string[] {
  const input = pairs.map((pair) => JSON.stringify(pair)).join('\n');
  const options = { input, encoding: 'utf8', maxBuffer: 1e9 } as const;
  return execFileSync('/usr/bin/python3', ['-c', comparePython], options).trim().split('\n');
}

/**
 * The tree of a script without positions. Left out is what Prettier may change without changing the
 * program: parentheses, empty statements, quotes (also around property names), how numbers are
 * spelled, and space between JSX elements.
 */
export async function javascriptMeaning(text: string, dialect: JavascriptDialect): Promise<string> {
  const { program, errors } = await parseJavascript(
    { path: 'corpus', text, dialect },
    new SyntaxTrees(),
  );
  if (errors.length > 0) throw new Error(errors[0]?.message);
  return JSON.stringify(program, function replace(this: unknown, key, value: unknown) {
    return flattenLogic(simplify(key, withoutChain(this, key, value)));
  });
}

/** `(a?.b)?.c` and `a?.b?.c` are the same program: what follows is optional either way. */
function withoutChain(parent: unknown, key: string, value: unknown): unknown {
  const isHead =
    (key === 'object' || key === 'callee') && isNode(parent) && parent['optional'] === true;
  const node = unwrap(value);
  return isHead && isNode(node) && node.type === 'ChainExpression' ? node['expression'] : value;
}

/** `a || (b || c)` and `a || b || c` are the same program. */
function flattenLogic(value: unknown): unknown {
  if (!isNode(value) || value.type !== 'LogicalExpression') return value;
  const operands: unknown[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const node = unwrap(open.pop());
    if (
      isNode(node) &&
      node.type === 'LogicalExpression' &&
      node['operator'] === value['operator']
    ) {
      open.push(node['right'], node['left']);
    } else operands.push(node);
  }
  return { type: 'Logic', operator: value['operator'], operands };
}

const ignoredKeys = new Set([
  'start',
  'end',
  'range',
  'loc',
  'raw',
  'parent',
  'hashbang',
  'directive',
]);

function simplify(key: string, value: unknown): unknown {
  if (ignoredKeys.has(key)) return undefined;
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return value.filter((item) => !isEmpty(item)).map(unwrap);
  const node = unwrap(value);
  if (key === 'key' && isNode(node)) {
    if (node.type === 'Identifier') return { name: node['name'] };
    if (node.type === 'Literal' && node['regex'] === undefined)
      return { name: String(node['value']) };
  }
  if (isNode(node) && node.type === 'JSXText') {
    return { type: 'JSXText', value: String(node['value']).replace(/\s+/g, '') };
  }
  return node;
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function unwrap(value: unknown): unknown {
  let node = value;
  while (isNode(node)) {
    if (node.type === 'ParenthesizedExpression') node = node['expression'];
    else if (node.type === 'TSParenthesizedType') node = node['typeAnnotation'];
    else break;
  }
  return node;
}

function isEmpty(value: unknown): boolean {
  if (!isNode(value)) return false;
  if (value.type === 'EmptyStatement') return true;
  return value.type === 'JSXText' && String(value['value']).trim() === '';
}
