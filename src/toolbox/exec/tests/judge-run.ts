import type { SandboxResult } from '../../../contract/sandbox/index.ts';
import type { TestReport } from './test-report.ts';

export interface Verdict {
  readonly ok: boolean;
  /** Why it is not, when that is more than failed tests. */
  readonly problem?: string;
}

/**
 * Whether the tests passed. What the program's exit code says is not enough: a run of which no whole
 * report with at least one passed test came has not passed, nor one that ended badly after it.
 */
export function judgeRun(result: SandboxResult, report: TestReport): Verdict {
  const problem = problemOf(result, report);
  const hasFailed = report.tests.some(({ status }) => status === 'failed' || status === 'error');
  if (problem !== undefined) return { ok: false, problem };
  return { ok: !hasFailed };
}

function problemOf(result: SandboxResult, report: TestReport): string | undefined {
  const ending = endingOf(result);
  if (result.status !== 'exited') return `the run ${ending} before it was over`;
  if (report.problem !== undefined) return `${report.problem}; the run ${ending}`;
  if (report.tests.length === 0) return `no test was reported; the run ${ending}`;
  if (report.testsLeftOut > 0) {
    return `${report.testsLeftOut} more tests were reported than are listed; their outcome does not count`;
  }
  const { tests } = report;
  if (tests.every(({ status }) => status === 'skipped')) return 'every test was skipped';
  const hasFailed = tests.some(({ status }) => status === 'failed' || status === 'error');
  if (!hasFailed && result.exitCode !== 0) return `no test failed, and yet the run ${ending}`;
  return undefined;
}

function endingOf({ status, exitCode, signal, reason }: SandboxResult): string {
  switch (status) {
    case 'exited':
      return `exited with ${exitCode}`;
    case 'signalled':
      return `died of ${signal}`;
    case 'killed':
      return `was killed (${reason})`;
  }
}
