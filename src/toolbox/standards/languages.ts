import type { Snapshot } from './snapshot.ts';
import { lookupTable } from '../../kernel/index.ts';

const prefix = 'standards://';

const aliases: Readonly<Record<string, string>> = lookupTable({
  py: 'python',
  python3: 'python',
  js: 'javascript',
  jsx: 'javascript',
  node: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  golang: 'go',
  rs: 'rust',
  postgresql: 'sql',
  htm: 'html',
});

/** Languages with a standard, in order. */
export function languagesOf(snapshot: Snapshot): string[] {
  return [...snapshot.texts.keys()]
    .filter((uri) => uri.startsWith(prefix))
    .map((uri) => uri.slice(prefix.length))
    .sort();
}

/** The name a standard is kept under, however people spell the language; `undefined` if there is none. */
export function resolveLanguage(snapshot: Snapshot, given: string): string | undefined {
  const lower = given.trim().toLowerCase();
  return [lower, aliases[lower]].find((name) => snapshot.texts.has(prefix + name));
}

const frameworks: Readonly<Record<string, string>> = lookupTable({
  pytest: 'python',
  unittest: 'python',
  hypothesis: 'python',
  vitest: 'typescript',
  jest: 'javascript',
  mocha: 'javascript',
  'node:test': 'javascript',
  playwright: 'typescript',
  junit: 'java',
  junit5: 'java',
  testng: 'java',
  'go test': 'go',
  testify: 'go',
  'cargo test': 'rust',
  proptest: 'rust',
  pgtap: 'sql',
});

export const knownFrameworks: readonly string[] = Object.keys(frameworks);

export function languageOfFramework(framework: string): string | undefined {
  return frameworks[framework.trim().toLowerCase()];
}

/** Style guides people ask for by name. */
export const knownStyles: readonly string[] = [
  'pep8',
  'google',
  'black',
  'airbnb',
  'standard',
  'effective-go',
  'rust-style',
  'google-java',
  'sqlstyle',
  'bem',
];
