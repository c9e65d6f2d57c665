import type { Node, Tree } from 'web-tree-sitter';

/** More nodes than the longest text a call may bring can have in practice. */
const maxNodes = 20_000_000;

export interface TreeVisitor {
  /** Types of the nodes to be shown; all others are passed by without leaving the parser. */
  readonly types: ReadonlySet<string>;
  /** Sees the nodes in reading order; returns false to leave out what is inside. */
  readonly visit: (node: Node) => boolean;
}

/** Walks a tree without recursion, so that depth costs no stack. */
export function walkSyntaxTree(tree: Tree, visitor: TreeVisitor): void {
  const cursor = tree.walk();
  try {
    for (let seen = 0; seen < maxNodes; seen += 1) {
      const wanted = visitor.types.has(cursor.nodeType);
      const inside = wanted ? visitor.visit(cursor.currentNode) : true;
      if (inside && cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return;
    }
  } finally {
    cursor.delete();
  }
}

/** Children that are not punctuation and not comments. */
export function partsOf(node: Node | null): readonly Node[] {
  if (!node) return [];
  return node.namedChildren.filter((child) => !child.isExtra);
}
