import type { TestsResult } from './run-tests-schema.ts';

const maxFailures = 20;
const maxFiles = 30;
const maxOutput = 4_000;

/** What a person or a model reads of a test run: the counts, each failure, what is not covered. */
export function summarizeTests(result: TestsResult): string {
  const { passed, failed, skipped, framework, problem, coverage, stderr } = result;
  const failures = result.tests.filter(({ status }) => status === 'failed' || status === 'error');
  const hasNoTests = result.tests.length === 0;
  return [
    `${result.ok ? 'passed' : 'FAILED'}: ${passed} passed, ${failed} failed, ${skipped} skipped (${framework}, ${result.durationMs} ms)`,
    ...(problem === undefined ? [] : [`problem: ${problem}`]),
    ...failures
      .slice(0, maxFailures)
      .map(({ name, file, message = '' }) => `\n${file} ${name}\n${indent(message)}`),
    ...(failures.length > maxFailures ? [`… and ${failures.length - maxFailures} more`] : []),
    ...(coverage ? [`\ncoverage: ${coverage.percent} %`, ...uncoveredFiles(coverage.files)] : []),
    ...(result.coverageNote === undefined ? [] : [`coverage: ${result.coverageNote}`]),
    ...result.notes,
    ...(hasNoTests ? [`\n${tail(result.stdout)}`, tail(stderr)] : []),
  ]
    .join('\n')
    .trimEnd();
}

type CoveredFile = NonNullable<TestsResult['coverage']>['files'][number];

function uncoveredFiles(files: readonly CoveredFile[]): string[] {
  const uncovered = files.filter(({ missing }) => missing.length > 0);
  const lines = uncovered
    .slice(0, maxFiles)
    .map(({ path, percent, missing }) => `  ${path} ${percent} %, not run: ${ranges(missing)}`);
  return uncovered.length > maxFiles
    ? [...lines, `  … and ${uncovered.length - maxFiles} more`]
    : lines;
}

const maxRanges = 20;

/** `3, 7-9` */
function ranges(lines: readonly number[]): string {
  const found: { first: number; last: number }[] = [];
  for (const line of lines) {
    const open = found.at(-1);
    if (open && open.last + 1 === line) open.last = line;
    else found.push({ first: line, last: line });
  }
  const shown = found
    .slice(0, maxRanges)
    .map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
  return shown.join(', ') + (found.length > maxRanges ? ', …' : '');
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}

function tail(text: string): string {
  return text.slice(-maxOutput).trim();
}
