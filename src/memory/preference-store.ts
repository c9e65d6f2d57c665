import type { Caller } from '../contract/caller/index.ts';

/** One thing a caller likes. */
export interface Preference {
  /** What it is about: of each topic a caller has one preference. */
  readonly topic: string;
  /** For people and models: `tests with pytest`. */
  readonly text: string;
  /** ISO 8601. */
  readonly learnedAt: string;
}

/** Where preferences are kept; callers see their own only. */
export interface PreferenceStore {
  /** The latest learned first. */
  list(caller: Caller): Promise<readonly Preference[]>;
  /** Replaces what there is about the topic; beyond `maxCount` the oldest go. */
  put(caller: Caller, preference: Preference, maxCount: number): Promise<void>;
  /** False when there was none. */
  remove(caller: Caller, topic: string): Promise<boolean>;
}
