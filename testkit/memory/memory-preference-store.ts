import type { Caller } from '../../src/contract/caller/index.ts';
import type { Preference, PreferenceStore } from '../../src/memory/preference-store.ts';

/** Keeps preferences as long as it lives itself. */
export class MemoryPreferenceStore implements PreferenceStore {
  readonly #kept = new Map<string, readonly Preference[]>();

  async list(caller: Caller): Promise<readonly Preference[]> {
    return this.#kept.get(caller.id) ?? [];
  }

  async put(caller: Caller, preference: Preference, maxCount: number): Promise<void> {
    await this.remove(caller, preference.topic);
    const all = [preference, ...(await this.list(caller))];
    this.#kept.set(caller.id, all.slice(0, maxCount));
  }

  async remove(caller: Caller, topic: string): Promise<boolean> {
    const before = await this.list(caller);
    const after = before.filter((one) => one.topic !== topic);
    this.#kept.set(caller.id, after);
    return after.length < before.length;
  }
}
