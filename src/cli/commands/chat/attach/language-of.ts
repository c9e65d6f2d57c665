import type { GeneratedLanguage } from '../../../../contract/generation/index.ts';

const languages: Readonly<Record<string, GeneratedLanguage>> = {
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
export function languageOf(ending: string): GeneratedLanguage | undefined {
  const known = ending.toLowerCase();
  return Object.hasOwn(languages, known) ? languages[known] : undefined;
}
