import type { ParseResult } from 'oxc-parser';
import type { Tree } from 'web-tree-sitter';
import type { CodeContext } from '../code-context.ts';
import { parseJavascriptFile } from '../engines/javascript-tree.ts';
import { syntaxError } from '../errors.ts';
import type { Language } from '../language.ts';
import type { SourceFile } from '../source-files.ts';
import { TextPositions } from '../text-positions.ts';

/** The languages whose texts have paths of execution. */
export type ProgramLanguage = Exclude<Language, 'sql' | 'html' | 'css'>;

/** A syntax tree of any parser. Its nodes are listed in source order, so plain loops measure it at any depth. */
export interface CodeTree {
  readonly text: string;
  /** Each node stands before everything inside it. */
  readonly nodes: readonly CodeNode[];
  /** Comments are no nodes: no rule is about them, and they may stand anywhere. */
  readonly comments: readonly TextSpan[];
}

export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export class CodeNode {
  readonly kind: string;
  /** The part of its parent a node is, such as `body`; empty when the grammar does not say. */
  readonly field: string;
  readonly start: number;
  readonly end: number;
  /** Tokens such as `&&` are nodes but not named. */
  readonly isNamed: boolean;
  readonly parent: CodeNode | undefined;
  readonly children: CodeNode[] = [];
  /** Position in the tree's list; everything inside the node follows it, up to `last`. */
  readonly index: number;
  last: number;
  readonly #source: string;

  constructor(
    part: TextSpan & Pick<CodeNode, 'kind' | 'field' | 'isNamed'>,
    parent: CodeNode | undefined,
    { source, index }: { readonly source: string; readonly index: number },
  ) {
    this.kind = part.kind;
    this.field = part.field;
    this.start = part.start;
    this.end = part.end;
    this.isNamed = part.isNamed;
    this.parent = parent;
    this.index = index;
    this.last = index;
    this.#source = source;
    parent?.children.push(this);
  }

  get text(): string {
    return this.#source.slice(this.start, this.end);
  }

  get namedChildren(): readonly CodeNode[] {
    return this.children.filter(({ isNamed }) => isNamed);
  }

  /** The first child in the given field. */
  child(field: string): CodeNode | undefined {
    return this.children.find((child) => child.field === field);
  }
}

/** The tree of a program. Throws `CodeSyntaxError` when JavaScript or TypeScript cannot be parsed. */
export async function parseProgram(
  file: SourceFile & { readonly language: ProgramLanguage },
  { trees }: Pick<CodeContext, 'trees'>,
): Promise<CodeTree> {
  const { language, text } = file;
  if (language !== 'javascript' && language !== 'typescript') {
    const tree = await trees.parse(language, text);
    try {
      return fromSyntaxTree(tree, text);
    } finally {
      tree.delete();
    }
  }
  const { visitorKeys } = await import('oxc-parser');
  const parsed = await parseJavascriptFile(file, trees);
  const [problem] = parsed.errors;
  if (problem) {
    const position = new TextPositions(text).position(problem.labels[0]?.start ?? 0);
    throw syntaxError(file, position, problem.message);
  }
  return fromEstree(parsed, text, visitorKeys);
}

const commentKinds: ReadonlySet<string> = new Set(
  'comment line_comment block_comment js_comment'.split(' '),
);

/** Python's `\` at the end of a line: layout, though the grammar makes it a node. */
const layoutKind = 'line_continuation';

/** Copies a tree-sitter tree, which may be deleted afterwards. */
export function fromSyntaxTree(tree: Tree, text: string): CodeTree {
  const builder = new TreeBuilder(text);
  const cursor = tree.walk();
  let parent: CodeNode | undefined;
  let isDone = false;
  while (!isDone) {
    const { nodeType: kind, startIndex: start, endIndex: end, nodeIsNamed: isNamed } = cursor;
    if (commentKinds.has(kind)) builder.comments.push({ start, end });
    else if (kind !== layoutKind) {
      const field = cursor.currentFieldName ?? '';
      const node = builder.add({ kind, field, start, end, isNamed }, parent);
      if (cursor.gotoFirstChild()) {
        parent = node;
        continue;
      }
    }
    while (!isDone && !cursor.gotoNextSibling()) {
      isDone = !cursor.gotoParent();
      parent = parent?.parent;
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

interface EstreePart {
  readonly node: EstreeNode;
  readonly field: string;
  readonly parent?: CodeNode;
}

/** The field of the tokens that are added to an ESTree. */
const operatorField = 'operator';

/**
 * Copies an ESTree. Parentheses are left out, as in ESLint's trees. Operators become tokens between the operands of a
 * binary expression; `?.` becomes a token too.
 */
function fromEstree(
  parsed: Pick<ParseResult, 'program' | 'comments'>,
  text: string,
  visitorKeys: Readonly<Record<string, readonly string[]>>,
): CodeTree {
  const builder = new TreeBuilder(text);
  for (const { start, end } of parsed.comments) builder.comments.push({ start, end });
  // oxc's program is an ESTree: nodes are objects with a type and a position.
  const pending: EstreePart[] = [{ node: parsed.program as unknown as EstreeNode, field: '' }];
  for (let part = pending.pop(); part; part = pending.pop()) {
    const { field } = part;
    const node = withoutParentheses(part.node);
    const { type: kind, start, end } = node;
    const isNamed = field !== operatorField;
    const parent = builder.add({ kind, field, start, end, isNamed }, part.parent);
    const parts = partsOf(node, visitorKeys[kind] ?? []);
    for (const inner of parts.reverse()) pending.push({ ...inner, parent });
  }
  return builder.build();
}

function withoutParentheses(node: EstreeNode): EstreeNode {
  let inner = node;
  while (inner.type === 'ParenthesizedExpression' && isEstreeNode(inner['expression'])) {
    inner = inner['expression'];
  }
  return inner;
}

function partsOf(node: EstreeNode, keys: readonly string[]): EstreePart[] {
  const parts = keys.flatMap((field) =>
    [node[field]]
      .flat()
      .filter(isEstreeNode)
      .map((child) => ({ node: child, field })),
  );
  const token = (type: string): EstreePart => ({
    node: { type, start: node.start, end: node.start },
    field: operatorField,
  });
  if (typeof node.operator === 'string') parts.splice(1, 0, token(node.operator));
  if (node.optional === true) parts.push(token('?.'));
  return parts;
}

function isEstreeNode(value: unknown): value is EstreeNode {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** Collects nodes in source order. */
class TreeBuilder {
  readonly comments: TextSpan[] = [];
  readonly #source: string;
  readonly #nodes: CodeNode[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  add(part: ConstructorParameters<typeof CodeNode>[0], parent: CodeNode | undefined): CodeNode {
    const node = new CodeNode(part, parent, { source: this.#source, index: this.#nodes.length });
    this.#nodes.push(node);
    return node;
  }

  build(): CodeTree {
    for (const { parent, last } of this.#nodes.toReversed()) {
      if (parent) parent.last = Math.max(parent.last, last);
    }
    return { text: this.#source, nodes: this.#nodes, comments: this.comments };
  }
}
