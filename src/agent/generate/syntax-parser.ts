import type { Node, Tree } from 'web-tree-sitter';

export const parsedLanguages = [
  'python',
  'javascript',
  'typescript',
  'java',
  'go',
  'rust',
] as const;

/** Languages whose syntax trees are looked into. */
export type ParsedLanguage = (typeof parsedLanguages)[number];

/** Parses text; who asks owns the tree and deletes it. */
export interface SyntaxParser {
  parse(language: ParsedLanguage, text: string): Promise<Tree>;
}

/** What `use` makes of the tree of a text; the tree is gone when it returns. */
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

export function isParsedLanguage(language: string): language is ParsedLanguage {
  return parsedLanguages.some((name) => name === language);
}
