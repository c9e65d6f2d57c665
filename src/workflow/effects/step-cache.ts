import type { Held } from '../engine/activity-data.ts';

/** Read-only calls with the same key give the same result, as long as it is kept. */
export interface CacheKey {
  readonly callerId: string;
  /** `server.tool`. */
  readonly tool: string;
  readonly argumentsDigest: string;
}

export interface CachedResult {
  readonly held: Held;
  readonly storedAtMs: number;
}

/** Results of read-only calls, for all runs of the same caller. Losing some costs time only. */
export interface StepCache {
  find(key: CacheKey): Promise<CachedResult | undefined>;
  /** Replaces what was there. */
  put(key: CacheKey, result: CachedResult): Promise<void>;
  /** Removes what is older, then the oldest of what is too much; gives how many went. */
  prune(bounds: { readonly beforeMs: number; readonly maxEntries: number }): Promise<number>;
}
