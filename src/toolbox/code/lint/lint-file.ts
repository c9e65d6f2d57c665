import { profileOf, type Language } from '../language.ts';
import type { SourceFile } from '../source-files.ts';
import { asTooComplex } from '../format/engine.ts';
import { findingOf, type Lint, type LintFinding, type LintSetup } from './lint-data.ts';

/** Lints a file of any language. Throws `CodeSyntaxError` when it does not parse. */
export async function lintFile(file: SourceFile, setup: LintSetup): Promise<LintFinding[]> {
  const findings = await runLint(file, setup);
  return profileOf(file.language).lineLength === false
    ? findings
    : [...findings, ...longLines(file, setup.lineLength)];
}

async function runLint(file: SourceFile, setup: LintSetup): Promise<LintFinding[]> {
  const { lintTree } = await import('./lint-tree.ts');
  const lint = (await loadLint[file.language]?.()) ?? lintTree;
  try {
    return await lint(file, setup);
  } catch (error) {
    throw asTooComplex(file.path, error);
  }
}

/** The linters of languages that are not linted by tree-sitter queries alone. */
const loadLint: Readonly<Partial<Record<Language, () => Promise<Lint>>>> = {
  python: async () => (await import('./lint-python.ts')).lintPython,
  javascript: async () => (await import('./lint-javascript.ts')).lintJavascript,
  typescript: async () => (await import('./lint-javascript.ts')).lintTypescript,
  sql: async () => (await import('./lint-sql.ts')).lintSql,
  html: async () => (await import('./lint-html.ts')).lintHtml,
  css: async () => (await import('./lint-css.ts')).lintCss,
};

const tabWidth = 4;
const lineLengthRule = { name: 'line-length', severity: 'info', area: 'standards' } as const;

/** Lines over the limit, unless what makes them long is one address or path without spaces. */
function longLines(file: SourceFile, limit: number): LintFinding[] {
  const findings: LintFinding[] = [];
  file.text.split('\n').forEach((line, index) => {
    if (line.length * tabWidth <= limit) return;
    const length = widthOf(line);
    if (length <= limit || isUnbreakable(line, limit)) return;
    const message = `The line has ${length} columns, more than ${limit}`;
    findings.push(findingOf(lineLengthRule, file, { message, line: index + 1, column: limit + 1 }));
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
