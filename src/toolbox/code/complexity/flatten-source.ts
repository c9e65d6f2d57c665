import type { CodeContext } from '../code-context.ts';
import { parseJavascriptFile } from '../engines/parse-inline.ts';
import { syntaxError } from '../errors.ts';
import type { Language } from '../language.ts';
import { TextPositions } from '../text-positions.ts';
import type { SourceFile } from '../source-files.ts';
import type { GrammarName } from '../syntax-tree.ts';
import { FlatTreeBuilder, type FlatTree } from './flat-tree.ts';
import type { Tree } from 'web-tree-sitter';
import type { ParseResult } from 'oxc-parser';

/** The languages whose texts have paths of execution. */
export type ProgramLanguage = Exclude<Language, 'sql' | 'html' | 'css'>;

export type ProgramFile = SourceFile & { readonly language: ProgramLanguage };

/** The tree of a program. Throws `CodeSyntaxError` when JavaScript or TypeScript cannot be parsed. */
export async function flattenSource(
  file: ProgramFile,
  context: Pick<CodeContext, 'trees'>,
): Promise<FlatTree> {
  const { language } = file;
  return language === 'javascript' || language === 'typescript'
    ? flattenEstree({ ...file, language }, context)
    : flattenByGrammar(file.text, language, context);
}

async function flattenByGrammar(
  text: string,
  grammar: GrammarName,
  context: Pick<CodeContext, 'trees'>,
): Promise<FlatTree> {
  const tree = await context.trees.parse(grammar, text);
  try {
    return flattenSyntaxTree(tree, text);
  } finally {
    tree.delete();
  }
}

async function flattenEstree(
  file: SourceFile & { readonly language: 'javascript' | 'typescript' },
  context: Pick<CodeContext, 'trees'>,
): Promise<FlatTree> {
  const { text } = file;
  const [{ visitorKeys }, parsed] = await Promise.all([
    import('oxc-parser'),
    parseJavascriptFile(file, context.trees),
  ]);
  const [problem] = parsed.errors;
  if (problem) {
    const place = new TextPositions(text).position(problem.labels[0]?.start ?? 0);
    throw syntaxError(file, place, problem.message);
  }
  return flattenJavascript(parsed, text, visitorKeys);
}

const commentKinds: ReadonlySet<string> = new Set(
  'comment line_comment block_comment js_comment'.split(' '),
);

/** Python's `\` at the end of a line: layout, though the grammar makes it a node. */
const layoutKind = 'line_continuation';

/** A tree-sitter tree as flat lists; the tree itself may be deleted afterwards. */
export function flattenSyntaxTree(tree: Tree, text: string): FlatTree {
  const builder = new FlatTreeBuilder(text);
  const cursor = tree.walk();
  let isDone = false;
  while (!isDone) {
    const kind = cursor.nodeType;
    const start = cursor.startIndex;
    const end = cursor.endIndex;
    const isComment = commentKinds.has(kind);
    if (isComment) builder.comment({ start, end });
    else if (kind !== layoutKind) {
      const field = cursor.currentFieldName ?? '';
      builder.open({ kind, field, start, end, named: cursor.nodeIsNamed });
      if (cursor.gotoFirstChild()) continue;
      builder.close();
    }
    while (!isDone && !cursor.gotoNextSibling()) {
      if (cursor.gotoParent()) builder.close();
      else isDone = true;
    }
  }
  cursor.delete();
  return builder.build();
}

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
function flattenJavascript(
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
