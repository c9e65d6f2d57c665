import { describe, expect, it } from 'vitest';
import type { Json } from '../../contract/plan/index.ts';
import { collectFacts, findDoubt, hasFailingTests, type EndedRound } from './evidence.ts';

/** One step of a tool that gave this, as a round. */
function aRound(tool: string, output: Json, args: Record<string, Json> = {}): EndedRound {
  const plan = { version: 1 as const, steps: [{ id: 'a', tool, args }] };
  const view = Object({ status: 'succeeded', steps: {} });
  const results = [{ step: 'a', tool, output }];
  return { plan, isFree: true, reads: [], mustShow: false, view, results };
}

const isTrusted = (server: string): boolean => server !== 'stranger';
const change = aRound('workspace.apply_changes', {
  change_id: 'c-1',
  files: [{ path: 'a.py', action: 'modified', added: 2, removed: 1 }],
  diff: '+x',
});
const tests = (passed: number, failed: number, args: Record<string, Json> = {}): EndedRound =>
  aRound('exec.run_tests', { passed, failed }, args);
const findings = (count: number): EndedRound =>
  aRound('code.review_code', { issues: [], issues_total: count });
const doubtOf = (...rounds: readonly EndedRound[]): string | undefined =>
  findDoubt(collectFacts(rounds, isTrusted));

describe('what counts as verified', () => {
  it('is a clean check after the last change', () => {
    expect(doubtOf()).toBeUndefined();
    expect(doubtOf(tests(0, 2), change, tests(2, 0))).toBeUndefined();
    expect(doubtOf(findings(3), change, findings(0))).toBeUndefined();
    expect(doubtOf(findings(3))).toBeUndefined();
  });

  it.each([
    ['no check after it', [tests(2, 0), change], 'no tests ran after the last change.'],
    ['a failing test', [change, tests(7, 2)], 'the last test run failed 2 of 9.'],
    ['a failing test without a change', [tests(7, 2)], 'the last test run failed 2 of 9.'],
    ['no test at all', [change, tests(0, 0)], 'the last test run ran no tests.'],
    [
      'a choice of tests',
      [change, tests(1, 0, { filter: 'one' })],
      'the last test run was only tests matching "one".',
    ],
    [
      'tests of replaced files',
      [change, tests(1, 0, { files: { 'a.py': '' } })],
      'the last test run was with files the model supplied, not the project as it is.',
    ],
    [
      'a run without a report',
      [change, aRound('exec.run_tests', { passed: 0, failed: 0, problem: 'no report' })],
      'the last test run failed: no report.',
    ],
    [
      'findings left',
      [change, findings(1)],
      '1 finding left by code.review_code after the last change.',
    ],
    [
      'the word of a stranger',
      [change, aRound('stranger.run_tests', { passed: 9, failed: 0 })],
      'no tests ran after the last change.',
    ],
  ])('is not with %s', (_what, rounds, doubt) => {
    expect(doubtOf(...rounds)).toBe(doubt);
  });

  it('is in doubt after a call with an effect elsewhere, where tests are what counts', () => {
    const mail = aRound('stranger.send', {});
    const steps = mail.plan.steps.map((step) => ({ ...step, approval: true }));
    const sent = { ...mail, plan: { ...mail.plan, steps } };
    expect(doubtOf(tests(2, 0), sent)).toBe('no tests ran after the last change.');
    expect(doubtOf(sent)).toBeUndefined();
    expect(doubtOf(tests(2, 0), mail)).toBeUndefined();
  });

  it('goes by the time of the steps, not by their order in the plan', () => {
    const [changed] = change.results;
    const [tested] = tests(9, 0).results;
    if (!changed || !tested) throw new Error('no results');
    const times = (startedAt: string, endedAt: string) => ({ startedAt, endedAt });
    const round = (testedAt: string): EndedRound => ({
      ...change,
      results: [
        { ...changed, step: 'fix' },
        { ...tested, step: 'test' },
      ],
      view: Object({
        steps: {
          fix: times('2026-01-01T00:00:00Z', '2026-01-01T00:00:05Z'),
          test: times(testedAt, '2026-01-01T00:00:09Z'),
        },
      }),
    });
    expect(doubtOf(round('2026-01-01T00:00:06Z'))).toBeUndefined();
    expect(doubtOf(round('2026-01-01T00:00:01Z'))).toBe('no tests ran after the last change.');
  });

  it('is read from each element of a list', () => {
    const many = aRound('exec.run_tests', [
      { passed: 1, failed: 0 },
      { passed: 0, failed: 1 },
    ]);
    expect(hasFailingTests(collectFacts([many], isTrusted))).toBe(true);
  });
});
