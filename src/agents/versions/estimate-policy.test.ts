import { expect, it } from 'vitest';
import { seeded } from '../../../testkit/agents/seeded.ts';
import type { Result } from '../choice/history.ts';
import { estimatePolicy } from './estimate-policy.ts';

const task = { capability: 'code.write' };
const a = { agent: 'a', version: '1' };
const b = { agent: 'b', version: '1' };

/** `a` succeeds in 8 of 10, `b` in 5; `b` is drawn with `share`. */
function aLog(count: number, share: number, seed = 1): Result[] {
  const random = seeded(seed);
  return Array.from({ length: count }, (_, index) => {
    const chosen = random() < share ? b : a;
    const id = String(index);
    const candidates = [
      { ...a, propensity: 1 - share },
      { ...b, propensity: share },
    ];
    const success = Number(random() < (chosen === a ? 0.8 : 0.5));
    return {
      decision: { kind: 'decision', id, atMs: 0, task, chosen, candidates },
      outcome: { decisionId: id, success, evidence: 'tests' },
    };
  });
}

it('tells what another policy would have had', () => {
  const estimate = estimatePolicy(aLog(4_000, 0.2), () => [0, 1]);
  expect(estimate?.decisions).toBe(4_000);
  for (const value of [estimate?.ips, estimate?.snips, estimate?.doublyRobust]) {
    expect(Math.abs((value ?? 0) - 0.5)).toBeLessThan(0.06);
  }
  expect(estimate?.interval.low).toBeLessThan(0.5);
  expect(estimate?.interval.high).toBeGreaterThan(0.5);
  expect((estimate?.interval.high ?? 1) - (estimate?.interval.low ?? 0)).toBeLessThan(0.2);
});

it('covers the truth where what is wanted was rarely drawn', () => {
  let covered = 0;
  for (let seed = 1; seed <= 60; seed += 1) {
    const { low, high } = estimatePolicy(aLog(300, 0.02, seed), () => [0, 1])?.interval ?? {
      low: 1,
      high: 0,
    };
    if (low <= 0.5 && 0.5 <= high) covered += 1;
  }
  expect(covered).toBeGreaterThanOrEqual(57);
});

it('says nothing of a policy that wants what could not be drawn', () => {
  expect(estimatePolicy(aLog(100, 0), () => [0, 1])).toBeUndefined();
  expect(estimatePolicy([], () => [1, 0])).toBeUndefined();
});
