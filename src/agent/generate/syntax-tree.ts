import type { Node, Tree } from 'web-tree-sitter';
import type { ParsedLanguage } from './language.ts';

/** Parses text; the caller owns the tree and deletes it. */
export interface SyntaxParser {
  parse(language: ParsedLanguage, text: string): Promise<Tree>;
}

/** Passes the tree of a text to `use` and deletes it afterwards. */
export async function withTree<Result>(
  parser: SyntaxParser,
  source: { readonly language: ParsedLanguage; readonly text: string },
  use: (root: Node) => Result,
): Promise<Result> {
  const tree = await parser.parse(source.language, source.text);
  try {
    return use(tree.rootNode);
  } finally {
    tree.delete();
  }
}

/** The rest of a larger tree is not visited. */
const maxNodes = 400_000;

/**
 * Visits a tree from the top, in source order, with a context from each node's parent. Does not recurse: nesting may be
 * deep. `visit` returns the context of the node's children; `undefined` skips them.
 */
export function walkTree<Context>(
  root: Node,
  start: Context,
  visit: (node: Node, context: Context) => Context | undefined,
): void {
  const pending: { node: Node; context: Context }[] = [{ node: root, context: start }];
  for (let seen = 0; seen < maxNodes; seen += 1) {
    const next = pending.pop();
    if (!next) return;
    const context = visit(next.node, next.context);
    if (context === undefined) continue;
    for (const child of next.node.children.toReversed()) pending.push({ node: child, context });
  }
}

const maxDepth = 200;

/** The node itself and the nodes around it, innermost first. */
export function* ancestors(node: Node): Generator<Node> {
  let above: Node | null = node;
  for (let depth = 0; above && depth < maxDepth; depth += 1) {
    yield above;
    above = above.parent;
  }
}

/** Replaces the text from `start` to `end`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all edits made; of edits that overlap only the first is. */
export function applyEdits(source: string, edits: readonly TextEdit[]): string {
  const inOrder = [...edits].sort((a, b) => a.start - b.start);
  const pieces: string[] = [];
  let at = 0;
  for (const edit of inOrder) {
    if (edit.start < at) continue;
    pieces.push(source.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return pieces.join('') + source.slice(at);
}
