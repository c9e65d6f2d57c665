import type { FileImports } from '../import-reference.ts';
import { lineOf, type QueriedTrees } from './queried-trees.ts';

const pattern = '(import_spec path: (_) @path)';

/** The quoted paths of import declarations. */
export async function readGoImports(trees: QueriedTrees, text: string): Promise<FileImports> {
  const references = await trees.query({ grammar: 'go', pattern, text }, (captures) =>
    captures.map(({ node }) => ({ specifier: node.text.slice(1, -1), line: lineOf(node) })),
  );
  return { references };
}
