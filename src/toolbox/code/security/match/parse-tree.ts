import type { Tree } from 'web-tree-sitter';
import type { CodeContext } from '../../code-context.ts';
import { TooComplexError } from '../../errors.ts';
import { inlinePath, type SourceFile } from '../../source-files.ts';
import type { GrammarName } from '../../syntax-tree.ts';

/** A file as a tree, and the grammar that fits it. The caller must `delete()` the tree. */
export interface ParsedFile {
  readonly tree: Tree;
  readonly grammar: GrammarName;
}

/** Parses a file of a language with a grammar; `undefined` for broken text the grammar does not get through in time. */
export async function parseTree(
  { path, language, text }: SourceFile,
  { trees }: CodeContext,
): Promise<ParsedFile | undefined> {
  if (language === 'sql' || language === 'html') return undefined;
  const grammar = language === 'typescript' && path.endsWith('x') ? 'tsx' : language;
  try {
    const tree = await trees.parse(grammar, text);
    // TypeScript without a name may be either dialect.
    if (grammar !== 'typescript' || path !== inlinePath || !tree.rootNode.hasError) {
      return { tree, grammar };
    }
    const other = await trees.parse('tsx', text);
    if (other.rootNode.hasError) {
      other.delete();
      return { tree, grammar };
    }
    tree.delete();
    return { tree: other, grammar: 'tsx' };
  } catch (error) {
    if (error instanceof TooComplexError) return undefined;
    throw error;
  }
}
