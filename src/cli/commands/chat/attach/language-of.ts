import type { Language } from '../../../../contract/language/index.ts';
import { lookupTable } from '../../../../kernel/index.ts';

const languages: Readonly<Record<string, Language>> = lookupTable({
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
});

/** The language of files with this ending; undefined for all others. */
export function languageOf(ending: string): Language | undefined {
  const known = ending.toLowerCase();
  return Object.hasOwn(languages, known) ? languages[known] : undefined;
}
