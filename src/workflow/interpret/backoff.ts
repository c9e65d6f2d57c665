import type { RetryPolicy } from '../../contract/plan/index.ts';
import type { ErrorReport } from '../../contract/error/index.ts';

/** Whether a failure is tried again, before attempts are counted. */
export function isRetried(policy: RetryPolicy, error: ErrorReport, isRetryable: boolean): boolean {
  if (policy.on === undefined) return isRetryable;
  return policy.on.some((pattern) =>
    pattern.endsWith('*') ? error.code.startsWith(pattern.slice(0, -1)) : error.code === pattern,
  );
}

/**
 * The pause after this many failures. What is left to chance follows from the seed alone, so that a
 * resumed run pauses as long as the first time.
 */
export function backoffMs(policy: RetryPolicy, failures: number, seed: string): number {
  const full = Math.min(policy.maxBackoffMs, policy.backoffMs * policy.factor ** (failures - 1));
  return Math.round(full * (1 - policy.jitter * chance(seed)));
}

/** A number in [0, 1) made of a text: FNV-1a, with its bits mixed once more. */
function chance(seed: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < seed.length; at += 1) {
    hash = Math.imul(hash ^ seed.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 4_294_967_296;
}
