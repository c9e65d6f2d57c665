import { z } from 'zod';
import { emptyReport, maxReportBytes, type TestReport, type TestStatus } from '../test-report.ts';
import { parseJson } from './read-lines.ts';
import { ReportBuilder, summarizeCoverage, type RawFileCoverage } from './report-builder.ts';
import { lookupTable } from '../../../../kernel/index.ts';

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()),
          title: z.string(),
          status: z.string(),
          duration: z.number().nullish(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

const place = z.object({ line: z.int().min(1).max(10_000_000) });
const coverageSchema = z.record(
  z.string(),
  z.object({
    statementMap: z.record(z.string(), z.object({ start: place, end: place })),
    s: z.record(z.string(), z.number()),
  }),
);

export interface VitestFiles {
  readonly report: Uint8Array | undefined;
  /** Istanbul's `coverage-final.json`. */
  readonly coverage: Uint8Array | undefined;
}

/** Reads the reports that vitest writes as JSON; paths in them begin with `root`. */
export function readVitestReport({ report, coverage }: VitestFiles, root: string): TestReport {
  if (!report) return { ...emptyReport, problem: 'vitest left no report' };
  const parsed = reportSchema.safeParse(jsonOf(report));
  if (!parsed.success) return { ...emptyReport, problem: 'the report of vitest is not one' };
  const builder = new ReportBuilder();
  for (const file of parsed.data.testResults) {
    const path = below(root, file.name);
    for (const test of file.assertionResults) {
      builder.add({
        name: [...test.ancestorTitles, test.title].join(' > '),
        file: path,
        status: statuses[test.status] ?? 'error',
        durationMs: test.duration,
        message: test.failureMessages?.map((text) => withoutRunnerFrames(text, root)).join('\n\n'),
      });
    }
    const failedInTests = file.assertionResults.some(({ status }) => status === 'failed');
    if (file.status === 'failed' && !failedInTests) {
      builder.add({ name: path, file: path, status: 'error', message: file.message });
    }
  }
  return {
    tests: builder.tests,
    testsLeftOut: builder.testsLeftOut,
    ...readIstanbul(coverage, root),
  };
}

const statuses: Readonly<Partial<Record<string, TestStatus>>> = lookupTable({
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  pending: 'skipped',
  todo: 'skipped',
  disabled: 'skipped',
});

function readIstanbul(
  bytes: Uint8Array | undefined,
  root: string,
): Pick<TestReport, 'coverage' | 'coverageNote'> {
  if (!bytes) return { coverage: null };
  const parsed = coverageSchema.safeParse(jsonOf(bytes));
  if (!parsed.success) return { coverage: null, coverageNote: 'the coverage report is not one' };
  const files = Object.entries(parsed.data).map(([path, { statementMap, s }]): RawFileCoverage => {
    const missing = new Set<number>();
    const covered = new Set<number>();
    for (const [id, statement] of Object.entries(statementMap)) {
      (s[id] === 0 ? missing : covered).add(statement.start.line);
    }
    const lines = [...missing].filter((line) => !covered.has(line));
    return {
      path: below(root, path),
      total: covered.size + lines.length,
      uncovered: lines.length,
      missing: lines,
    };
  });
  return { coverage: summarizeCoverage(files), coverageNote: 'measured by @vitest/coverage-v8' };
}

function jsonOf(bytes: Uint8Array): unknown {
  return bytes.length > maxReportBytes ? undefined : parseJson(new TextDecoder().decode(bytes));
}

const stackFrame = /^ {4}at /;

/** The message, and of its stack the first place in the project. */
function withoutRunnerFrames(text: string, root: string): string {
  const lines = text.split('\n', 500);
  const message = lines.filter((line) => !stackFrame.test(line));
  const place = lines.find((line) => stackFrame.test(line) && line.includes(`${root}/`));
  const [, path] = /([^\s()]{1,500}:\d{1,9}):\d{1,9}\)?$/.exec(place ?? '') ?? [];
  return path === undefined
    ? message.join('\n')
    : [...message, `(${below(root, path.replace('file://', ''))})`].join('\n');
}

function below(root: string, path: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
