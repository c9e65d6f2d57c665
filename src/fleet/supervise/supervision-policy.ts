import type { McpServerEntry } from '../../contract/settings/index.ts';

/** How one server is kept running. */
export interface SupervisionPolicy {
  /** Started by the first call, and not again after a long pause unless somebody calls. */
  readonly isLazy: boolean;
  /** Stopped after this long without use; 0 means never. */
  readonly idleStopMs: number;
  readonly maxProcesses: number;
  /** Starts tried again before calls are refused for a while. */
  readonly retryAttempts: number;
  /** Pause before the first of them; each further pause is twice as long. */
  readonly retryDelayMs: number;
  readonly maxRetryDelayMs: number;
  /** One start, negotiation included. A first `npx` run downloads a package in this time. */
  readonly startLimitMs: number;
  /** How long calls are refused after the last retry; doubles up to `maxPauseMs`. */
  readonly pauseMs: number;
  readonly maxPauseMs: number;
  /** A server that said nothing for this long is asked whether it is alive. */
  readonly silentMs: number;
  readonly pingLimitMs: number;
  /** Up this long without failing, a server's earlier failures are forgotten. */
  readonly stableMs: number;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** What no entry says. */
const defaultPolicy = {
  maxRetryDelayMs: 30 * secondMs,
  startLimitMs: minuteMs,
  pauseMs: 15 * secondMs,
  maxPauseMs: 5 * minuteMs,
  silentMs: 30 * secondMs,
  pingLimitMs: 10 * secondMs,
  stableMs: 30 * secondMs,
};

/** What the entry of a server says about it, and our defaults for the rest. */
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

/** Half of a pause that doubles with every failure is fixed, half is chance, so that servers spread out. */
export function retryPauseMs(policy: SupervisionPolicy, failures: number, random: number): number {
  return doubled(policy.retryDelayMs, failures, policy.maxRetryDelayMs) * (0.5 + random / 2);
}

export function refusalPauseMs(policy: SupervisionPolicy, refusals: number): number {
  return doubled(policy.pauseMs, refusals, policy.maxPauseMs);
}

function doubled(firstMs: number, times: number, maxMs: number): number {
  return Math.min(firstMs * 2 ** (times - 1), maxMs);
}
