import type { FeedbackEntry } from '../../contract/feedback/index.ts';

/** Where feedback is kept. What it acknowledged survives the loss of power. */
export interface FeedbackStore {
  /** Replaces the entry of the same kind and subject; beyond `maxCount` of a caller the oldest go. */
  put(callerId: string, entry: FeedbackEntry, maxCount: number): Promise<void>;
  /** The latest first; those since a time. */
  list(
    callerId: string,
    options: { readonly limit: number; readonly sinceMs?: number },
  ): Promise<readonly FeedbackEntry[]>;
}
