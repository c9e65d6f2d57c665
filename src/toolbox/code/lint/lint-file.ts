import type { Language } from '../language.ts';
import type { SourceFile } from '../source-files.ts';
import type { TreeLanguage } from './lint-tree.ts';
import type { Lint, LintFinding, LintSetup } from './lint-finding.ts';
import { asTooComplex } from '../format/engine.ts';

/** What lints a language, and the package it comes from when it is not ours. */
export const lintEngines: Readonly<
  Record<Language, 'ruff' | 'eslint' | 'stylelint' | 'html-validate' | 'tutti'>
> = {
  python: 'ruff',
  javascript: 'eslint',
  typescript: 'eslint',
  java: 'tutti',
  go: 'tutti',
  rust: 'tutti',
  sql: 'tutti',
  html: 'html-validate',
  css: 'stylelint',
};

/** Lints a file of any language. Throws `CodeSyntaxError` when it does not parse. */
export async function lintFile(file: SourceFile, setup: LintSetup): Promise<LintFinding[]> {
  const findings = await runLint(file, setup);
  return withoutLineLength.has(file.language)
    ? findings
    : [...findings, ...longLines(file, setup.lineLength)];
}

async function runLint(file: SourceFile, setup: LintSetup): Promise<LintFinding[]> {
  const lint = await loadLint[file.language]();
  try {
    return await lint(file, setup);
  } catch (error) {
    throw asTooComplex(file.path, error);
  }
}

/** Ruff counts Python's columns itself; for HTML and CSS no guide sets a limit. */
const withoutLineLength: ReadonlySet<Language> = new Set(['python', 'html', 'css']);

const loadLint: Readonly<Record<Language, () => Promise<Lint>>> = {
  python: async () => (await import('./lint-python.ts')).lintPython,
  javascript: async () => (await import('./lint-javascript.ts')).lintJavascript,
  typescript: async () => (await import('./lint-javascript.ts')).lintTypescript,
  java: async () => overTree('java', await import('../languages/java/predicates.ts')),
  go: async () => overTree('go', await import('../languages/go/predicates.ts')),
  rust: async () => overTree('rust', await import('../languages/rust/predicates.ts')),
  sql: async () => (await import('./lint-sql.ts')).lintSql,
  html: async () => (await import('./lint-html.ts')).lintHtml,
  css: async () => (await import('./lint-css.ts')).lintCss,
};

async function overTree(
  language: TreeLanguage['language'],
  { predicates }: Pick<TreeLanguage, 'predicates'>,
): Promise<Lint> {
  const { lintTree } = await import('./lint-tree.ts');
  return (file, setup) => lintTree(file, setup, { language, predicates });
}

const tabWidth = 4;

/** Lines over the limit, unless what makes them long is one address or path without spaces. */
function longLines(file: SourceFile, limit: number): LintFinding[] {
  const findings: LintFinding[] = [];
  file.text.split('\n').forEach((line, index) => {
    if (line.length * tabWidth <= limit) return;
    const length = widthOf(line);
    if (length <= limit || isUnbreakable(line, limit)) return;
    findings.push({
      severity: 'info',
      area: 'standards',
      rule: `${file.language}/line-length`,
      message: `The line has ${length} columns, more than ${limit}`,
      file: file.path,
      line: index + 1,
      column: limit + 1,
    });
  });
  return findings;
}

function widthOf(line: string): number {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  let tabs = 0;
  for (const character of text) if (character === '\t') tabs += 1;
  return text.length + tabs * (tabWidth - 1);
}

function isUnbreakable(line: string, limit: number): boolean {
  const lastSpace = line.trimEnd().lastIndexOf(' ');
  return lastSpace <= 0 || line.slice(lastSpace).length > limit / 2;
}
