import { expect, it } from 'vitest';
import { aCallContext } from '../../../../testkit/toolbox/call-context.ts';
import type { ToolCaller } from '../tool-caller.ts';
import { runVariants, type VariantRuns } from './run-variants.ts';

/** A sandbox whose memory is full at the first code that says so; what was run before is reported. */
function sandbox(runs: string[][]): ToolCaller {
  return {
    call: async (_name, args) => {
      const files: object = Object(Object(args).files);
      const codes = Object.entries(files).filter(([path]) => path.endsWith('/solution.py'));
      runs.push(codes.map(([, code]) => String(code)));
      const full = codes.findIndex(([, code]) => code === 'hungry');
      const ran = full < 0 ? codes : codes.slice(0, full);
      const tests = ran.map(([path, code]) => ({
        name: 'test_a',
        file: path.replace('solution', 'test_solution'),
        status: code === 'wrong' ? 'failed' : 'passed',
      }));
      const reason = full < 0 ? null : 'memory';
      const counts = { ok: true, passed: 0, failed: 0, skipped: 0, coverage: null };
      const said = { status: 'exited', stdout: '', stderr: '' };
      return { content: [], structuredContent: { ...counts, ...said, tests, reason } };
    },
  };
}

function run(codes: readonly string[], runs: string[][] = []): Promise<VariantRuns> {
  const runner = {
    tools: sandbox(runs),
    language: 'python',
    framework: 'pytest',
    placement: { codeFile: 'solution.py', testFile: 'test_solution.py' },
    wallMs: 1_000,
    context: aCallContext(),
  } as const;
  return runVariants(
    runner,
    codes.map((code) => ({ code, tests: '' })),
  );
}

function summary({ outcomes }: VariantRuns): string[] {
  return outcomes.map((one) => {
    if (one.kind !== 'ran') return one.kind;
    if (!one.isWhole) return 'ended early';
    return one.failed.length > 0 ? 'failed' : 'passed';
  });
}

it('tells of each variant which tests failed', async () => {
  const runs: string[][] = [];
  expect(summary(await run(['right', 'wrong', 'right'], runs))).toEqual([
    'passed',
    'failed',
    'passed',
  ]);
  expect(runs).toHaveLength(2);
});

it('goes on after a variant that takes all memory', async () => {
  const codes = ['right', 'right', 'hungry', 'right', 'wrong', 'hungry', 'right', 'wrong'];
  expect(summary(await run(codes))).toEqual([
    'passed',
    'passed',
    'ended early',
    'passed',
    'failed',
    'ended early',
    'passed',
    'failed',
  ]);
});

it('gives up after so many of them', async () => {
  const runs: string[][] = [];
  await run(
    Array.from({ length: 80 }, () => 'hungry'),
    runs,
  );
  expect(runs.length).toBeLessThan(60);
});
