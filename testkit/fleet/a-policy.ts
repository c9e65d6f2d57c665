import type { SupervisionPolicy } from '../../src/fleet/supervise/supervision-policy.ts';

/** Round numbers: pauses double from 100 ms, calls are refused from the third failure on for 10 s. */
export function aPolicy(parts: Partial<SupervisionPolicy> = {}): SupervisionPolicy {
  return {
    isLazy: true,
    idleStopMs: 0,
    maxProcesses: 1,
    retryAttempts: 2,
    retryDelayMs: 100,
    maxRetryDelayMs: 1_000,
    startLimitMs: 60_000,
    pauseMs: 10_000,
    maxPauseMs: 60_000,
    silentMs: 30_000,
    pingLimitMs: 1_000,
    stableMs: 30_000,
    ...parts,
  };
}
