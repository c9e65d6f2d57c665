import type { Tree } from 'web-tree-sitter';
import type { CodeContext } from '../code-context.ts';
import type { GrammarName } from '../syntax-tree.ts';

/**
 * Valid text takes about half a microsecond per character; some broken text takes tree-sitter
 * milliseconds. The limit is ten times what valid text needs, and a start.
 */
const baseMs = 3_000;
const maxMsPerCharacter = 0.005;

/**
 * Parses a text; `undefined` for broken text the grammar does not get through in time. The caller
 * must `delete()` the tree.
 */
export async function parseTree(
  context: CodeContext,
  grammar: GrammarName,
  text: string,
): Promise<Tree | undefined> {
  const language = await context.trees.grammar(grammar);
  const { Parser } = await import('web-tree-sitter');
  const parser = new Parser();
  const endsAt = performance.now() + baseMs + text.length * maxMsPerCharacter;
  try {
    parser.setLanguage(language);
    const tree = parser.parse(text, null, {
      progressCallback: () => performance.now() > endsAt,
    });
    return tree ?? undefined;
  } finally {
    parser.delete();
  }
}
