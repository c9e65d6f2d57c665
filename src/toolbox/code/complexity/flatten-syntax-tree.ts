import type { Tree } from 'web-tree-sitter';
import { FlatTreeBuilder, type FlatTree } from './flat-tree.ts';

const commentKinds: ReadonlySet<string> = new Set([
  'comment',
  'line_comment',
  'block_comment',
  'js_comment',
]);

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
