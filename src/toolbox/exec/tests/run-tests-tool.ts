import { z } from 'zod';
import { type DefinedTool, defineTool } from '../../define-tool.ts';
import { runTests, type TestsContext } from './run-tests.ts';
import { filesField, runFields, runResultSchema, sandboxedAnnotations } from '../run-schema.ts';
import { frameworkNames } from './framework.ts';
import { testStatuses } from './report.ts';
import type { DeepReadonly } from '../../../kernel/index.ts';
import texts from '../tools.json' with { type: 'json' };

/** The tool `run_tests`: the tests of an untrusted project, in a sandbox. */
export function runTestsTool(exec: TestsContext): DefinedTool {
  return defineTool({
    ...texts.run_tests,
    input: runTestsInput,
    output: runTestsOutput,
    annotations: sandboxedAnnotations,
    run: (input, context) => runTests(exec, input, context),
    summarize: summarizeTests,
  });
}

export const runTestsInput = z
  .strictObject({
    path: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe(
        'The folder of a project inside the allowed roots, or a file or folder in it whose tests alone run. It is copied; nothing in it changes.',
      ),
    files: filesField
      .optional()
      .describe('Texts by their path: a project of its own, or in place of files of `path`.'),
    framework: z
      .enum(['auto', ...frameworkNames])
      .default('auto')
      .describe('`auto` takes the one most test files are of.'),
    coverage: z.boolean().default(true).describe('Whether to measure which lines the tests run.'),
    filter: z
      .string()
      .min(1)
      .max(1_000)
      .regex(/^[^\0]*$/, 'text without NUL characters')
      .optional()
      .describe(
        'Which tests to run, as the framework takes it: -k of pytest and unittest, -run of go, a pattern of names for node and vitest, a part of the name for cargo and JUnit.',
      ),
    separate: z
      .strictObject({
        wallMs: z.int().positive().max(600_000).describe('Longest time for one folder.'),
      })
      .optional()
      .describe(
        'Each folder at the top of `files` is a project of its own, tested in a process of its own for so long at most: pytest, unittest, node and go.',
      ),
    env: runFields.env,
    limits: runFields.limits,
  })
  .refine((input) => input.path !== undefined || Object.keys(input.files ?? {}).length > 0, {
    message: 'give "path" (a folder) or "files" (texts by path)',
  });

export type RunTestsInput = z.output<typeof runTestsInput>;

export const runTestsOutput = z.object({
  ok: z.boolean().describe('A whole report came, a test passed, none failed.'),
  problem: z.string().optional().describe('Why the run counts as failed, beside failed tests.'),
  framework: z.enum(frameworkNames),
  passed: z.int(),
  failed: z.int().describe('Those with status `failed` and those with `error`.'),
  skipped: z.int(),
  tests: z.array(
    z.object({
      name: z.string(),
      file: z
        .string()
        .describe('Relative to the project; empty where the framework does not tell.'),
      status: z.enum(testStatuses),
      durationMs: z.number().nullable(),
      message: z.string().optional().describe('The assertion that failed, or why it was skipped.'),
    }),
  ),
  coverage: z
    .object({
      percent: z.number(),
      files: z.array(
        z.object({
          path: z.string(),
          percent: z.number(),
          missing: z.array(z.int()).describe('Lines no test ran.'),
        }),
      ),
    })
    .nullable(),
  coverageNote: z.string().optional().describe('How it was measured, or why it was not.'),
  durationMs: z.number(),
  ...runResultSchema.omit({ files: true, observations: true }).shape,
  notes: z.array(z.string()).describe('What was left out or chosen.'),
});

export type TestsResult = DeepReadonly<z.input<typeof runTestsOutput>>;

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
