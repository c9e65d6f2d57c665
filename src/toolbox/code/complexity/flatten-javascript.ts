import type { ParseResult } from 'oxc-parser';
import { FlatTreeBuilder, type FlatTree } from './flat-tree.ts';

/** What is read of an ESTree node; every other property is a child or of no interest. */
interface EstreeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly operator?: unknown;
  readonly optional?: unknown;
  readonly [key: string]: unknown;
}

type Task =
  | { readonly kind: 'node'; readonly node: EstreeNode; readonly field: string }
  | { readonly kind: 'token'; readonly token: string; readonly at: number }
  | { readonly kind: 'close' };

/**
 * An ESTree as flat lists. Parentheses are left out, as in ESLint's trees. Operators become tokens
 * in the field `operator`, between the operands of a binary expression; `?.` becomes a token too.
 */
export function flattenJavascript(
  parsed: Pick<ParseResult, 'program' | 'comments'>,
  text: string,
  visitorKeys: Readonly<Record<string, readonly string[]>>,
): FlatTree {
  const builder = new FlatTreeBuilder(text);
  // oxc's program is an ESTree: nodes are objects with a type and their place.
  const program = parsed.program as unknown as EstreeNode;
  const tasks: Task[] = [{ kind: 'node', node: program, field: '' }];
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    if (task.kind === 'close') builder.close();
    else if (task.kind === 'token') {
      const { token, at } = task;
      builder.open({ kind: token, field: 'operator', start: at, end: at, named: false });
      builder.close();
    } else {
      const node = withoutParentheses(task.node);
      const { start, end } = node;
      builder.open({ kind: node.type, field: task.field, start, end, named: true });
      tasks.push({ kind: 'close' });
      const parts = partsOf(node, visitorKeys[node.type] ?? []);
      for (let index = parts.length - 1; index >= 0; index -= 1) {
        const part = parts[index];
        if (part) tasks.push(part);
      }
    }
  }
  for (const { start, end } of parsed.comments) builder.comment({ start, end });
  return builder.build();
}

function withoutParentheses(node: EstreeNode): EstreeNode {
  let inner = node;
  while (inner.type === 'ParenthesizedExpression' && isNode(inner['expression'])) {
    inner = inner['expression'];
  }
  return inner;
}

function partsOf(node: EstreeNode, keys: readonly string[]): Task[] {
  const parts: Task[] = [];
  for (const key of keys) {
    const value = node[key];
    const children = Array.isArray(value) ? value : [value];
    for (const child of children) {
      if (isNode(child)) parts.push({ kind: 'node', node: child, field: key });
    }
  }
  const at = node.start;
  const operator = typeof node.operator === 'string' ? node.operator : undefined;
  if (operator !== undefined) parts.splice(1, 0, { kind: 'token', token: operator, at });
  if (node.optional === true) parts.push({ kind: 'token', token: '?.', at });
  return parts;
}

function isNode(value: unknown): value is EstreeNode {
  return typeof value === 'object' && value !== null && 'type' in value;
}
