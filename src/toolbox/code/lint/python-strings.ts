import { walkSyntaxTree } from '../security/walk-syntax-tree.ts';
import type { SyntaxTrees } from '../syntax-tree.ts';

/** Offsets in a text (UTF-16 units, end exclusive). */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Where the string literals of a Python text are, in order, f-strings with what is inside them. Of a
 * text the grammar does not understand nobody knows, so all of it counts as one.
 */
export async function pythonStrings(text: string, trees: SyntaxTrees): Promise<TextRange[]> {
  const tree = await trees.parse('python', text);
  try {
    if (tree.rootNode.hasError) return [{ start: 0, end: text.length }];
    const found: TextRange[] = [];
    walkSyntaxTree(tree, {
      types: new Set(['string']),
      visit: ({ startIndex, endIndex }) => {
        found.push({ start: startIndex, end: endIndex });
        return false;
      },
    });
    return found;
  } finally {
    tree.delete();
  }
}
