/** The languages `run_code` runs. */
export const languages = [
  'python',
  'javascript',
  'typescript',
  'go',
  'rust',
  'java',
  'shell',
] as const;

export type Language = (typeof languages)[number];

/** How a language's programs are named and what runs them. */
export interface LanguageTraits {
  readonly toolchain: string;
  /** The name a single text gets, and the first one looked for among several. */
  readonly mainNames: readonly [string, ...string[]];
  readonly endings: readonly string[];
}

/** By the ending of the file a program starts with. */
export function languageOfFile(path: string): Language | undefined {
  const ending = path.slice(path.lastIndexOf('.') + 1);
  return languages.find((language) => languageTraits[language].endings.includes(ending));
}

export const languageTraits: Readonly<Record<Language, LanguageTraits>> = {
  python: { toolchain: 'python', mainNames: ['main.py', '__main__.py'], endings: ['py'] },
  javascript: {
    toolchain: 'node',
    mainNames: ['main.js', 'main.mjs', 'main.cjs', 'index.js', 'index.mjs', 'index.cjs'],
    endings: ['js', 'mjs', 'cjs'],
  },
  typescript: {
    toolchain: 'node',
    mainNames: ['main.ts', 'main.mts', 'main.cts', 'index.ts', 'index.mts', 'index.cts'],
    endings: ['ts', 'mts', 'cts'],
  },
  go: { toolchain: 'go', mainNames: ['main.go'], endings: ['go'] },
  rust: { toolchain: 'rust', mainNames: ['main.rs', 'src/main.rs'], endings: ['rs'] },
  java: { toolchain: 'java', mainNames: ['Main.java', 'src/Main.java'], endings: ['java'] },
  shell: { toolchain: 'shell', mainNames: ['main.sh'], endings: ['sh', 'bash'] },
};
