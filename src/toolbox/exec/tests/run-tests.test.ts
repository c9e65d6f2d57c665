import { describe, expect, it } from 'vitest';
import type { OutputPiece, SandboxResult } from '../../../contract/sandbox/index.ts';
import { judgeRun, showWholeLines } from './run-tests.ts';
import { emptyReport, type TestOutcome, type TestReport } from './report.ts';

const result: SandboxResult = {
  status: 'exited',
  exitCode: 0,
  signal: null,
  reason: null,
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  truncated: false,
  usage: { wallMs: 1, cpuMs: 1, peakMemoryBytes: 1 },
  files: [],
  observations: [],
  driver: 'fake',
  wasWarm: false,
};
const passed: TestOutcome = { name: 'a', file: 'a', status: 'passed', durationMs: 1 };
const report: TestReport = { ...emptyReport, tests: [passed] };
const having = (...statuses: TestOutcome['status'][]): TestReport => ({
  ...report,
  tests: statuses.map((status) => ({ ...passed, status })),
});

describe('a run has passed', () => {
  it('when a whole report says so and it ended well', () => {
    expect(judgeRun(result, report)).toEqual({ ok: true });
    expect(judgeRun(result, having('passed', 'skipped'))).toEqual({ ok: true });
  });

  it('but not with a failed test, whatever its exit code', () => {
    expect(judgeRun(result, having('passed', 'failed'))).toEqual({ ok: false });
    expect(judgeRun(result, having('passed', 'error'))).toEqual({ ok: false });
  });

  it.each([
    ['no test', result, emptyReport, 'no test was reported; the run exited with 0'],
    ['an incomplete report', result, { ...report, problem: 'half' }, 'half; the run exited with 0'],
    ['only skipped tests', result, having('skipped'), 'every test was skipped'],
    ['an exit code of its own', { ...result, exitCode: 3 }, report, 'the run exited with 3'],
    ['more tests than are listed', result, { ...report, testsLeftOut: 2 }, '2 more tests'],
    [
      'the death of the program',
      { ...result, status: 'signalled' as const, exitCode: null, signal: 'SIGSEGV' },
      report,
      'died of SIGSEGV',
    ],
    [
      'an end by a limit',
      { ...result, status: 'killed' as const, exitCode: null, reason: 'timeout' as const },
      report,
      'was killed (timeout)',
    ],
  ])('but not with %s', (_what, ended, told, problem) => {
    const verdict = judgeRun(ended, told);
    expect(verdict.ok).toBe(false);
    expect(verdict.problem).toContain(problem);
  });
});

function passedOn(...pieces: [OutputPiece['stream'], string][]): string[] {
  const seen: string[] = [];
  const push = showWholeLines(
    (bytes) => `<${Buffer.from(bytes).toString()}>`,
    ({ bytes }) => seen.push(Buffer.from(bytes).toString()),
  );
  for (const [sequence, [stream, text]] of pieces.entries()) {
    push({ stream, sequence, bytes: Buffer.from(text) });
  }
  return seen;
}

it('shows standard output by whole lines, however it was cut, and standard error at once', () => {
  expect(
    passedOn(['stdout', 'a'], ['stderr', 'x'], ['stdout', 'b\nc\nd'], ['stdout', '\n']),
  ).toEqual(['x', '<ab\nc\n>', '<d\n>']);
});

it('does not wait for the end of a line that has none', () => {
  expect(passedOn(['stdout', 'a'.repeat(300_000)])).toHaveLength(1);
});
