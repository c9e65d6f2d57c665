import { z } from 'zod';
import type { CallContext } from '../../../contract/server/index.ts';
import { ToolFailedError } from '../errors.ts';
import { callForValue, type ToolCaller } from '../tool-caller.ts';

const schema = z.object({
  ok: z.boolean(),
  problem: z.string().optional(),
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  tests: z.array(
    z.object({
      name: z.string(),
      file: z.string(),
      status: z.enum(['passed', 'failed', 'error', 'skipped']),
      durationMs: z.number().nullish(),
      message: z.string().optional(),
    }),
  ),
  coverage: z
    .object({
      percent: z.number(),
      files: z.array(
        z.object({ path: z.string(), percent: z.number(), missing: z.array(z.number()) }),
      ),
    })
    .nullable(),
  coverageNote: z.string().optional(),
  status: z.string(),
  reason: z.string().nullable(),
  stdout: z.string(),
  stderr: z.string(),
});

export type SuiteReport = z.output<typeof schema>;

export type SuiteRun =
  | { readonly kind: 'ran'; readonly report: SuiteReport }
  /** Nothing ran: refused by the check, or no toolchain. */
  | { readonly kind: 'impossible'; readonly code: string; readonly why: string };

export interface SuiteRequest {
  readonly files: Readonly<Record<string, string>>;
  readonly framework: string;
  readonly coverage: boolean;
  readonly wallMs: number;
  /** What each folder at the top may take as a project of its own. */
  readonly separateMs?: number;
}

/** Runs tests in the sandbox. What the test runner recorded is the report; an exit code counts for nothing. */
export async function runSuite(
  tools: ToolCaller,
  { files, framework, coverage, wallMs, separateMs }: SuiteRequest,
  context: CallContext,
): Promise<SuiteRun> {
  const separate = separateMs === undefined ? {} : { separate: { wallMs: separateMs } };
  const args = { files, framework, coverage, ...separate, limits: { wallMs } };
  try {
    const report = await callForValue(tools, { name: 'exec.run_tests', args, schema }, context);
    return { kind: 'ran', report };
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof ToolFailedError)) throw error;
    return { kind: 'impossible', code: error.toolCode, why: error.said };
  }
}

const maxMessage = 600;
const maxShown = 5;
const maxOutput = 1_500;

/** What went wrong in a run, for whoever has to repair it. */
export function describeFailures(report: SuiteReport): string[] {
  const bad = report.tests.filter(({ status }) => status === 'failed' || status === 'error');
  const told = bad
    .slice(0, maxShown)
    .map(({ name, message = '' }) => `Test "${name}" failed: ${message.slice(0, maxMessage)}`);
  const more = bad.length > maxShown ? [`… and ${bad.length - maxShown} more tests failed.`] : [];
  const problem = report.problem === undefined ? [] : [`The test run: ${report.problem}.`];
  const isUntold = bad.length === 0 || /did not compile/.test(bad[0]?.message ?? '');
  const output = isUntold ? report.stderr.trim().slice(-maxOutput) : '';
  return [...told, ...more, ...problem, ...(output === '' ? [] : [output])];
}
