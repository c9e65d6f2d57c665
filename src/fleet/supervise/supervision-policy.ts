import type { McpServerEntry } from '../../contract/settings/index.ts';

/** Supervision settings of one server. */
export interface SupervisionPolicy {
  /** Started by the first call; after repeated failures restarted only by a call. */
  readonly isLazy: boolean;
  /** Stopped after this long without use; 0 means never. */
  readonly idleStopMs: number;
  readonly maxProcesses: number;
  /** Retries of a start before calls are refused for a while. */
  readonly retryAttempts: number;
  /** Pause before the first retry; doubles with each further one. */
  readonly retryDelayMs: number;
  readonly maxRetryDelayMs: number;
  /** One start, negotiation included. A first `npx` run downloads a package in this time. */
  readonly startLimitMs: number;
  /** How long calls are refused after the last retry; doubles up to `maxPauseMs`. */
  readonly pauseMs: number;
  readonly maxPauseMs: number;
  /** A server that was silent for this long is pinged. */
  readonly silentMs: number;
  readonly pingLimitMs: number;
  /** After this long without a failure, the failure counts are reset. */
  readonly stableMs: number;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** Values without a setting. */
const defaultPolicy = {
  maxRetryDelayMs: 30 * secondMs,
  startLimitMs: minuteMs,
  pauseMs: 15 * secondMs,
  maxPauseMs: 5 * minuteMs,
  silentMs: 30 * secondMs,
  pingLimitMs: 10 * secondMs,
  stableMs: 30 * secondMs,
};

/** The policy of an entry, with defaults for the rest. */
export function policyOf(entry: McpServerEntry): SupervisionPolicy {
  return {
    ...defaultPolicy,
    isLazy: entry.lazy,
    idleStopMs: entry.idleStopMs,
    maxProcesses: entry.command === undefined ? 1 : entry.maxProcesses,
    retryAttempts: entry.retryAttempts,
    retryDelayMs: entry.retryDelayMs,
  };
}

/** Exponential backoff, half of it jitter. */
export function retryPauseMs(policy: SupervisionPolicy, failures: number, random: number): number {
  return doubled(policy.retryDelayMs, failures, policy.maxRetryDelayMs) * (0.5 + random / 2);
}

export function refusalPauseMs(policy: SupervisionPolicy, refusals: number): number {
  return doubled(policy.pauseMs, refusals, policy.maxPauseMs);
}

function doubled(firstMs: number, times: number, maxMs: number): number {
  return Math.min(firstMs * 2 ** (times - 1), maxMs);
}
