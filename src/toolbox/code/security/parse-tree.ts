import type { Tree } from 'web-tree-sitter';
import type { CodeContext } from '../code-context.ts';
import { TooComplexError } from '../errors.ts';
import type { GrammarName } from '../syntax-tree.ts';

/**
 * Parses a text; `undefined` for broken text the grammar does not get through in time. The caller
 * must `delete()` the tree.
 */
export async function parseTree(
  context: CodeContext,
  grammar: GrammarName,
  text: string,
): Promise<Tree | undefined> {
  try {
    return await context.trees.parse(grammar, text);
  } catch (error) {
    if (error instanceof TooComplexError) return undefined;
    throw error;
  }
}
