import type { Language } from '../../contract/language/index.ts';
import { lookupTable } from '../../kernel/index.ts';

export { languages, type Language } from '../../contract/language/index.ts';

const languageByEnding: Readonly<Record<string, Language>> = lookupTable({
  py: 'python',
  pyi: 'python',
  pyw: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'typescript',
  java: 'java',
  go: 'go',
  rs: 'rust',
  sql: 'sql',
  ddl: 'sql',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  css: 'css',
});

/** The language of a file by its ending, if it is one of ours. */
export function languageOfPath(path: string): Language | undefined {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  return ending === undefined ? undefined : languageByEnding[ending];
}

/** Endings of the files a folder is searched for when it is given as a whole. */
export const knownEndings: readonly string[] = Object.keys(languageByEnding);
