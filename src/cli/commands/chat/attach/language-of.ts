import type { Language } from '../../../../contract/language/index.ts';

const languages: Readonly<Record<string, Language>> = {
  '.py': 'python',
  '.pyi': 'python',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.jsx': 'javascript',
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.tsx': 'typescript',
  '.java': 'java',
  '.go': 'go',
  '.rs': 'rust',
  '.sql': 'sql',
  '.html': 'html',
  '.htm': 'html',
  '.css': 'css',
};

/** The language of files with this ending; undefined for all others. */
export function languageOf(ending: string): Language | undefined {
  const known = ending.toLowerCase();
  return Object.hasOwn(languages, known) ? languages[known] : undefined;
}
