import type { Language } from '../language.ts';
import { lookupTable } from '../../../kernel/index.ts';

/**
 * The names users know, per language, the default first. A name whose program is not aboard is
 * carried out by the language's engine; what then differs is said in the result.
 */
export const formatterNames: Readonly<Record<Language, readonly string[]>> = {
  python: ['black', 'ruff', 'autopep8', 'yapf'],
  javascript: ['prettier', 'biome', 'eslint'],
  typescript: ['prettier', 'biome', 'eslint'],
  java: ['prettier', 'prettier-java', 'google-java-format'],
  go: ['gofmt', 'goimports', 'gofumpt'],
  rust: ['rustfmt', 'cargo-fmt', 'prettier', 'prettier-rust'],
  sql: ['sql-formatter', 'sqlfluff', 'sqlfmt', 'pgformatter'],
  html: ['prettier', 'js-beautify', 'tidy'],
  css: ['prettier', 'biome', 'stylelint'],
};

/** What somebody who asked by this name must know about the result. */
const differences: Readonly<Record<string, string>> = lookupTable({
  autopep8: 'autopep8 is not aboard: this is Black style, which changes more',
  yapf: 'yapf is not aboard: this is Black style',
  biome: 'biome is not aboard: this is Prettier, whose style Biome follows',
  eslint:
    'ESLint is no formatter: this is Prettier; use review_code or refactor_code for its rules',
  'google-java-format':
    'google-java-format is not aboard: this is Prettier style, also with 2 spaces',
  goimports: 'imports were formatted as gofmt does; none was added or removed',
  gofumpt: 'gofumpt is not aboard: this is gofmt, whose style it narrows',
  sqlfluff: 'sqlfluff is not aboard: this is sql-formatter style',
  sqlfmt: 'sqlfmt is not aboard: this is sql-formatter style',
  pgformatter: 'pgFormatter is not aboard: this is sql-formatter style',
  'js-beautify': 'js-beautify is not aboard: this is Prettier style',
  tidy: 'HTML Tidy is not aboard: this is Prettier, which repairs nothing',
  stylelint: 'stylelint formats no layout: this is Prettier; use review_code for its rules',
});

export type FormatterChoice =
  | { readonly kind: 'chosen'; readonly formatter: string; readonly note: string | undefined }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unfit'; readonly canDo: readonly Language[] };

/** The formatter for a language: the one named, in any spelling of it, or the language's default. */
export function chooseFormatter(name: string | undefined, language: Language): FormatterChoice {
  const names = formatterNames[language];
  const formatter = name === undefined ? (names[0] ?? '') : normalise(name);
  if (names.includes(formatter)) {
    return { kind: 'chosen', formatter, note: differences[formatter] };
  }
  const canDo = languagesOf(formatter);
  return canDo.length === 0 ? { kind: 'unknown' } : { kind: 'unfit', canDo };
}

function languagesOf(formatter: string): Language[] {
  // The keys of a table typed by `Language` are languages.
  const all = Object.keys(formatterNames) as Language[];
  return all.filter((language) => formatterNames[language].includes(formatter));
}

const otherSpellings: Readonly<Record<string, string>> = lookupTable({
  'ruff-format': 'ruff',
  'cargo fmt': 'cargo-fmt',
  'go fmt': 'gofmt',
  'go-fmt': 'gofmt',
  sqlformatter: 'sql-formatter',
  pg_format: 'pgformatter',
  'prettier-plugin-java': 'prettier-java',
  'prettier-plugin-rust': 'prettier-rust',
  googlejavaformat: 'google-java-format',
});

function normalise(name: string): string {
  const lower = name.trim().toLowerCase();
  const dashed = lower.replaceAll('_', '-');
  return otherSpellings[lower] ?? otherSpellings[dashed] ?? dashed;
}
