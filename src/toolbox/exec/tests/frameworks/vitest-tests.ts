import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { TestFramework, TestRequest } from '../framework.ts';
import { TestLibraryMissingError } from '../../errors.ts';
import {
  inProject,
  nodeModulesFolder,
  nodeModulesMount,
  type Project,
  projectFolder,
  projectRoot,
  testGlobs,
  textOf,
  workFolder,
} from '../project.ts';
import {
  emptyReport,
  maxReportBytes,
  parseJson,
  type RawFileCoverage,
  ReportBuilder,
  summarizeCoverage,
  type TestReport,
  type TestStatus,
} from '../report.ts';
import { lookupTable } from '../../../../kernel/index.ts';

const report = 'report.json';
const coverageReport = 'coverage/coverage-final.json';

/** Tests of vitest, as it is installed in the project's `node_modules`. */
export const vitestTests: TestFramework = {
  plan: async (request) => {
    const { project, runFolder, coverage } = request;
    const hasVitest = await hasPackage(request, 'vitest');
    if (!hasVitest) {
      throw new TestLibraryMissingError(
        'vitest is not installed in the project',
        'Run "npm install --save-dev vitest" in it and give its folder as "path"',
      );
    }
    const isMeasured = coverage && (await hasPackage(request, '@vitest/coverage-v8'));
    return {
      toolchains: ['node'],
      program: inProject([...vitestArgv(request), ...coverageArgv(request, isMeasured)]),
      // A folder of the project's own, in which vitest keeps what it caches.
      files: { [`${projectFolder}/node_modules/.keep`]: '', [`${runFolder}/.keep`]: '' },
      env: { NO_COLOR: '1', CI: 'true' },
      stdin: '',
      mounts: nodeModulesMount(project),
      needs: { memoryBytes: 1024 * 1024 * 1024, diskBytes: 256 * 1024 * 1024 },
      reports: [report, coverageReport],
      readReport: (_result, reports) => ({
        ...(coverage && !isMeasured ? { coverageNote: notInstalled } : {}),
        ...withoutUndefined(
          readVitestReport(
            { report: reports.get(report), coverage: reports.get(coverageReport) },
            projectRoot,
          ),
        ),
      }),
    };
  },
};

const notInstalled =
  'not measured: the project has no @vitest/coverage-v8. Run "npm install --save-dev @vitest/coverage-v8" in it';

function vitestArgv({ runFolder, filter }: TestRequest): string[] {
  return [
    'node',
    `${nodeModulesFolder}/vitest/vitest.mjs`,
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${workFolder}/${runFolder}/${report}`,
    ...(filter === null ? [] : [`--testNamePattern=${filter}`]),
  ];
}

function coverageArgv({ project, runFolder }: TestRequest, isMeasured: boolean): string[] {
  if (!isMeasured) return ['--coverage.enabled=false'];
  return [
    '--coverage.enabled',
    '--coverage.provider=v8',
    '--coverage.reporter=json',
    `--coverage.reportsDirectory=${workFolder}/${runFolder}/coverage`,
    '--coverage.reportOnFailure',
    ...(hasOwnCoverage(project) ? [] : wholeProject),
  ];
}

/** What counts is then the project's to say. */
function hasOwnCoverage(project: Project): boolean {
  return Object.keys(project.files).some(
    (path) =>
      /^(?:vite|vitest)\.(?:config|workspace)\.\w+$/.test(path) &&
      /\bcoverage['"]?\s{0,10}:/.test(textOf(project, path)),
  );
}

/** From version 4 on, vitest reports files that no test imports only if they are included by a pattern. */
const wholeProject = [
  '--coverage.include=**/*.{js,cjs,mjs,ts,cts,mts,jsx,tsx,vue,svelte}',
  ...[...testGlobs, '**/*.d.{ts,cts,mts}', '**/*.config.*', '**/[.]**'].map(
    (glob) => `--coverage.exclude=${glob}`,
  ),
];

async function hasPackage({ project }: TestRequest, name: string): Promise<boolean> {
  const { nodeModules } = project.dependencies;
  if (nodeModules === undefined) return false;
  return access(join(nodeModules, name, 'package.json')).then(
    () => true,
    () => false,
  );
}

function withoutUndefined<Shape extends object>(given: Shape): Shape {
  // Leaving out members that are undefined leaves the same type: they are optional.
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Shape;
}

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

const position = z.object({ line: z.int().min(1).max(10_000_000) });
const coverageSchema = z.record(
  z.string(),
  z.object({
    statementMap: z.record(z.string(), z.object({ start: position, end: position })),
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

/** The message, and the first stack frame inside the project. */
function withoutRunnerFrames(text: string, root: string): string {
  const lines = text.split('\n', 500);
  const message = lines.filter((line) => !stackFrame.test(line));
  const frame = lines.find((line) => stackFrame.test(line) && line.includes(`${root}/`));
  const [, path] = /([^\s()]{1,500}:\d{1,9}):\d{1,9}\)?$/.exec(frame ?? '') ?? [];
  return path === undefined
    ? message.join('\n')
    : [...message, `(${below(root, path.replace('file://', ''))})`].join('\n');
}

function below(root: string, path: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
