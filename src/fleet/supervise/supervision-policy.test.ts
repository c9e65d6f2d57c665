import { expect, it } from 'vitest';
import { anEntry } from '../../../testkit/fleet/a-fleet.ts';
import { policyOf, refusalPauseMs, retryPauseMs } from './supervision-policy.ts';

it('takes from a server’s entry what it says', () => {
  const { settings } = anEntry('git', {
    lazy: false,
    idleStopMs: 7,
    maxProcesses: 3,
    retryAttempts: 1,
    retryDelayMs: 9,
  });
  expect(policyOf(settings)).toMatchObject({
    isLazy: false,
    idleStopMs: 7,
    maxProcesses: 3,
    retryAttempts: 1,
    retryDelayMs: 9,
  });
});

it('keeps one connection to a server behind an address', () => {
  const { settings } = anEntry('web', {
    command: undefined,
    url: 'http://127.0.0.1:1/mcp',
    maxProcesses: 3,
  });
  expect(policyOf(settings).maxProcesses).toBe(1);
});

it('doubles pauses up to a limit, and leaves half of a retry’s to chance', () => {
  const policy = policyOf(anEntry('git', { retryDelayMs: 100 }).settings);
  expect([1, 2, 3].map((failures) => retryPauseMs(policy, failures, 1))).toEqual([100, 200, 400]);
  expect(retryPauseMs(policy, 1, 0)).toBe(50);
  expect(retryPauseMs(policy, 90, 1)).toBe(policy.maxRetryDelayMs);
  expect(refusalPauseMs(policy, 2)).toBe(2 * policy.pauseMs);
  expect(refusalPauseMs(policy, 90)).toBe(policy.maxPauseMs);
});
