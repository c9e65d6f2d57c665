import type { Language } from '../../language.ts';
import type { QueriedTrees } from './queried-trees.ts';
import type { FileImports } from '../resolution.ts';

export interface ImportingText {
  readonly path: string;
  readonly text: string;
  readonly language: Language;
}

type Reader = (trees: QueriedTrees, file: ImportingText) => Promise<FileImports>;

const readers: Readonly<Record<Language, Reader>> = {
  python: async (trees, { text }) =>
    (await import('./tree-imports.ts')).readPythonImports(trees, text),
  javascript: async (trees, { path, text }) =>
    (await import('./javascript-imports.ts')).readJavascriptImports(trees, {
      path,
      text,
      language: 'javascript',
    }),
  typescript: async (trees, { path, text }) =>
    (await import('./javascript-imports.ts')).readJavascriptImports(trees, {
      path,
      text,
      language: 'typescript',
    }),
  java: async (trees, { text }) => (await import('./tree-imports.ts')).readJavaImports(trees, text),
  go: async (trees, { text }) => (await import('./tree-imports.ts')).readGoImports(trees, text),
  rust: async (trees, { text }) => (await import('./tree-imports.ts')).readRustImports(trees, text),
  css: async (_, { text }) => (await import('./web-imports.ts')).readCssImports(text),
  html: async (_, { text }) => (await import('./web-imports.ts')).readHtmlImports(text),
  sql: async () => ({ references: [] }),
};

/** What a file imports, by the reader of its language, loaded when first needed. */
export function readImports(trees: QueriedTrees, file: ImportingText): Promise<FileImports> {
  return readers[file.language](trees, file);
}
