import type { Caller } from '../../src/contract/caller/index.ts';
import type {
  PreferenceChange,
  PreferenceStore,
  StoredPreference,
} from '../../src/memory/preference-store.ts';

/** Keeps preferences as long as it lives itself. */
export class MemoryPreferenceStore implements PreferenceStore {
  readonly #kept = new Map<string, readonly StoredPreference[]>();
  #lastId = 0;

  async list(caller: Caller): Promise<readonly StoredPreference[]> {
    return this.#kept.get(caller.id) ?? [];
  }

  async write(caller: Caller, { add = [], update = [], remove = [] }: PreferenceChange) {
    const kept = (await this.list(caller))
      .filter(({ id }) => !remove.includes(id))
      .map((one) => update.find(({ id }) => id === one.id) ?? one);
    const added = add.map((preference) => ({ id: (this.#lastId += 1), preference }));
    this.#kept.set(caller.id, [...added.toReversed(), ...kept]);
  }
}
