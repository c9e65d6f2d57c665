import type { Caller } from '../contract/caller/index.ts';
import type { Preference } from '../contract/preference/index.ts';

export interface StoredPreference {
  readonly id: number;
  readonly preference: Preference;
}

/** Changes that are made together or not at all. */
export interface PreferenceChange {
  readonly add?: readonly Preference[];
  readonly update?: readonly StoredPreference[];
  readonly remove?: readonly number[];
}

/** Where preferences are kept; callers see and change their own only. */
export interface PreferenceStore {
  /** In every state, the latest added first. */
  list(caller: Caller): Promise<readonly StoredPreference[]>;
  write(caller: Caller, change: PreferenceChange): Promise<void>;
}
