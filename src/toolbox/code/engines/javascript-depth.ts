import { TooComplexError } from '../errors.ts';
import type { GrammarName, SyntaxTrees } from '../syntax-tree.ts';
import { boundJavascriptNesting, bracketWeight } from './javascript-nesting.ts';

/** Texts in which parsers may disagree about what is code and what is comment, string or pattern. */
const ambiguous = /<!--|-->|\r(?!\n)|[\u2028\u2029]|\b(?:yield|await)\s*\//;

/** Leaves whose text is data to tree-sitter. What another parser took for code in them counts as such. */
const opaqueTypes = new Set([
  'comment',
  'html_comment',
  'hash_bang_line',
  'string_fragment',
  'template_string',
  'regex_pattern',
  'jsx_text',
]);

/**
 * How deep a text nests, counted as `boundJavascriptNesting` does, by tree-sitter, which keeps its own
 * stack. Infinite for a text about which tree-sitter and another parser need not agree.
 */
export async function measureJavascriptDepth(
  text: string,
  grammar: GrammarName,
  trees: SyntaxTrees,
): Promise<number> {
  if (ambiguous.test(text)) return Number.POSITIVE_INFINITY;
  const tree = await trees.parse(grammar, text).catch((error: unknown) => {
    if (error instanceof TooComplexError) return undefined;
    throw error;
  });
  if (!tree) return Number.POSITIVE_INFINITY;
  try {
    if (tree.rootNode.hasError) return Number.POSITIVE_INFINITY;
    const cursor = tree.walk();
    let depth = 0;
    let deepest = 0;
    let hidden = 0;
    for (let isWithin = true; isWithin;) {
      if (opaqueTypes.has(cursor.nodeType)) {
        hidden += boundJavascriptNesting(text.slice(cursor.startIndex, cursor.endIndex));
      }
      if (cursor.gotoFirstChild()) {
        depth += 1;
        deepest = Math.max(deepest, depth);
        continue;
      }
      while (!cursor.gotoNextSibling()) {
        isWithin = cursor.gotoParent();
        depth -= 1;
        if (!isWithin) break;
      }
    }
    cursor.delete();
    return deepest * bracketWeight + hidden;
  } finally {
    tree.delete();
  }
}
