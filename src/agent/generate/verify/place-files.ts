import { type ParsedLanguage, readLanguage, readProgram } from '../language.ts';

/** The files code and its tests are put into to be run. */
export interface Placement {
  readonly codeFile: string;
  readonly testFile: string;
}

/** Files by the names that the tests import and the language demands. */
export function placeFiles(
  language: ParsedLanguage,
  { code, tests }: { readonly code: string; readonly tests: string },
): Placement {
  const usual = readLanguage(language);
  switch (language) {
    case 'python': {
      const name = pythonModuleOf(tests) ?? usual.codeFile.replace(/\.py$/, '');
      return { codeFile: `${name}.py`, testFile: `test_${name}.py` };
    }
    case 'javascript':
    case 'typescript': {
      const codeFile = scriptOf(tests) ?? scriptNameFor(code, usual.codeFile);
      const ending = language === 'typescript' ? 'ts' : testEndingOf(tests);
      return { codeFile, testFile: `${codeFile.replace(/\.[cm]?[jt]s$/, '')}.test.${ending}` };
    }
    case 'java': {
      const codeFile = `${javaClassOf(code) ?? 'Solution'}.java`;
      return { codeFile, testFile: `${javaClassOf(tests) ?? 'SolutionTest'}.java` };
    }
    case 'go':
    case 'rust':
      return { codeFile: usual.codeFile, testFile: usual.testFile };
  }
}

const importLine =
  /^(?:from[ \t]{1,5}([A-Za-z_]\w{0,99})[ \t]{1,5}import|import[ \t]{1,5}([A-Za-z_]\w{0,99}))\b/gm;

/** The last module that tests import and Python does not have itself: theirs is imported after those of others. */
function pythonModuleOf(tests: string): string | undefined {
  const names = [...tests.matchAll(importLine)].map((match) => match[1] ?? match[2] ?? '');
  if (names.includes('solution')) return 'solution';
  return names.findLast((name) => !knownModules.has(name));
}

/** Modules that tests commonly import and that are never what is tested. */
const knownModules: ReadonlySet<string> = new Set(
  (
    'pytest unittest typing math re json os sys time datetime random string itertools functools collections dataclasses ' +
    'decimal fractions pathlib io tempfile contextlib copy enum abc operator statistics asyncio threading uuid hashlib ' +
    'base64 csv textwrap struct types warnings logging hypothesis numpy pandas heapq bisect queue sqlite3 shutil __future__'
  ).split(' '),
);

function scriptOf(tests: string): string | undefined {
  const pattern = /(?:from|import|require\()\s{0,5}\(?['"]\.\/([\w.-]{1,100}\.[cm]?[jt]s)['"]/;
  return pattern.exec(tests)?.[1];
}

function scriptNameFor(code: string, usual: string): string {
  const isCommonJs =
    /\bmodule\.exports\b|^exports\.\w/m.test(code) && !/^\s{0,20}export\b/m.test(code);
  return isCommonJs && usual.endsWith('.mjs') ? usual.replace(/\.mjs$/, '.cjs') : usual;
}

function testEndingOf(tests: string): string {
  return isCommonJs(tests) ? 'cjs' : 'mjs';
}

/** Whether a test file loads modules by `require`. */
export function isCommonJs(tests: string): boolean {
  return /\brequire\(/.test(tests) && !/^\s{0,20}import\b/m.test(tests);
}

function javaClassOf(text: string): string | undefined {
  const isPublic =
    /\bpublic\s{1,5}(?:final\s{1,5}|abstract\s{1,5}){0,2}(?:class|record|enum|interface)\s{1,5}(\w{1,100})/;
  const any = /\b(?:class|record|enum|interface)\s{1,5}(\w{1,100})/;
  return (isPublic.exec(text) ?? any.exec(text))?.[1];
}

/** What a project needs beside code and tests. */
export function extraFiles(
  language: ParsedLanguage,
  { code, wallMs }: { readonly code: string; readonly wallMs: number },
): Readonly<Record<string, string>> {
  if (language === 'rust') return { 'Cargo.toml': cargoFile };
  if (language !== 'go') return {};
  // Compiling has no part in what tests may take, and one package that loops must not take the time of others.
  const limit = readProgram('go/time-limit.go').replace('PACKAGE', goPackage(code));
  return { 'time_limit_test.go': limit.replace('WALL_MS', String(wallMs)) };
}

const cargoFile = '[package]\nname = "solution"\nversion = "0.1.0"\nedition = "2021"\n';

export function goPackage(code: string): string {
  return /^package[ \t]{1,5}(\w{1,100})/m.exec(code)?.[1] ?? 'solution';
}

const compileMs = 60_000;

/** What a run may take in all. */
export function wholeMs(language: ParsedLanguage, wallMs: number): number {
  const isCompiled = language === 'go' || language === 'rust' || language === 'java';
  return isCompiled ? wallMs + compileMs : wallMs;
}
