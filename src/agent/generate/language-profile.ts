import type { Language } from '../../contract/language/index.ts';
import { isParsedLanguage, type ParsedLanguage } from './syntax-parser.ts';

/** How code of a language is laid out, tested and talked about. */
export interface LanguageProfile {
  readonly codeFile: string;
  readonly testFile: string;
  /** As people name them, and what `exec.run_tests` calls them; null: written, and not run here. */
  readonly frameworks: Readonly<Record<string, string | null>>;
  readonly defaultFramework: string;
  readonly defaultStyle: string;
  /** What a model has to keep to so that its answer can be run here. */
  readonly rules: string;
}

const scriptRules = (file: string, extra: string): string =>
  `The code is one ES module, \`${file}\`, with named exports and no packages from outside.${extra} The tests are one ` +
  `file that imports from './${file}', \`test\` from 'node:test' and \`assert\` from 'node:assert/strict'.`;

export const languageProfiles: Readonly<Record<ParsedLanguage, LanguageProfile>> = {
  python: {
    codeFile: 'solution.py',
    testFile: 'test_solution.py',
    frameworks: { pytest: 'pytest', unittest: 'unittest' },
    defaultFramework: 'pytest',
    defaultStyle: 'pep8',
    rules:
      'The code is one module, `solution.py`, of the standard library alone unless libraries are named. The tests are one ' +
      'file that imports from `solution`.',
  },
  javascript: {
    codeFile: 'solution.mjs',
    testFile: 'solution.test.mjs',
    frameworks: { 'node:test': 'node', vitest: null, jest: null },
    defaultFramework: 'node:test',
    defaultStyle: 'standard',
    rules: scriptRules('solution.mjs', ''),
  },
  typescript: {
    codeFile: 'solution.ts',
    testFile: 'solution.test.ts',
    frameworks: { 'node:test': 'node', vitest: null, jest: null },
    defaultFramework: 'node:test',
    defaultStyle: 'standard',
    rules: scriptRules(
      'solution.ts',
      ' Types are erased, so no enum, namespace or parameter property; types are imported with `import type`.',
    ),
  },
  go: {
    codeFile: 'solution.go',
    testFile: 'solution_test.go',
    frameworks: { testing: 'go', 'go test': 'go' },
    defaultFramework: 'testing',
    defaultStyle: 'gofmt',
    rules:
      'The code is one file of package `solution`, of the standard library alone. The tests are one file of the same ' +
      'package that uses `testing`.',
  },
  rust: {
    codeFile: 'src/lib.rs',
    testFile: 'tests/solution.rs',
    frameworks: { cargo: 'cargo', 'cargo test': 'cargo' },
    defaultFramework: 'cargo',
    defaultStyle: 'rustfmt',
    rules:
      'The code is `src/lib.rs` of a crate named `solution`, of the standard library alone, with public items and without ' +
      'tests in it. The tests are one integration test file that begins with `use solution::*;`.',
  },
  java: {
    codeFile: 'Solution.java',
    testFile: 'SolutionTest.java',
    frameworks: { junit: 'junit', junit5: 'junit', junit4: 'junit' },
    defaultFramework: 'junit',
    defaultStyle: 'google',
    rules:
      'The code is one public class `Solution` without a package, of the standard library alone. The tests are one class ' +
      '`SolutionTest` with JUnit 5 (`org.junit.jupiter.api`).',
  },
};

/** Languages that say what is rather than what to do: they are parsed, formatted and linted, never run. */
const otherRules: Readonly<Record<Exclude<Language, ParsedLanguage>, string>> = {
  sql: 'The code is one SQL script of standard SQL, PostgreSQL where the standard does not do. There are no tests.',
  html: 'The code is one whole HTML document. There are no tests.',
  css: 'The code is one style sheet. There are no tests.',
};

export function rulesFor(language: Language): string {
  return isParsedLanguage(language) ? languageProfiles[language].rules : otherRules[language];
}

/** `pep8` is the default of calls in any language; another language has a default of its own. */
export function styleFor(language: Language, wanted: string): string {
  if (language === 'python' || wanted !== 'pep8') return wanted;
  return isParsedLanguage(language) ? languageProfiles[language].defaultStyle : 'the usual one';
}
