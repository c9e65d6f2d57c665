import type { FeedbackEntry } from '../../contract/feedback/index.ts';

/** Where feedback is kept. What it acknowledged survives the loss of power. */
export interface FeedbackStore {
  /** Replaces the entry of the same kind and subject; beyond `maxCount` of a caller the oldest go. */
  put(callerId: string, entry: FeedbackEntry, maxCount: number): Promise<void>;
  /** The latest first. */
  list(callerId: string, limit: number): Promise<readonly FeedbackEntry[]>;
}
