import type { Caller } from '../../contract/caller/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { UnknownPreferenceError } from '../errors.ts';
import type { Preference, PreferenceStore } from '../preference-store.ts';
import { learnPreferences, type Learned } from './learn-preferences.ts';

export interface PreferencesParts {
  readonly store: PreferenceStore;
  readonly clock: Clock;
  readonly maxPreferences: number;
}

/** What callers like, gathered from what they say. */
export interface Preferences {
  /** Returns what is new. */
  learn(caller: Caller, message: string): Promise<readonly string[]>;
  /** The latest learned first. */
  list(caller: Caller): Promise<readonly string[]>;
  forget(caller: Caller, preference: string): Promise<void>;
}

export function createPreferences({ store, clock, maxPreferences }: PreferencesParts): Preferences {
  return {
    async learn(caller, message) {
      const all = learnPreferences(message);
      if (all.length === 0) return [];
      const known = await store.list(caller);
      const fresh = all.filter(({ topic, text }) => !known.some(is({ topic, text })));
      for (const learned of fresh) {
        await undo(store, caller, { learned, known });
        const { topic, text } = learned;
        const learnedAt = new Date(clock.now()).toISOString();
        await store.put(caller, { topic, text, learnedAt }, maxPreferences);
      }
      return fresh.map(({ text }) => text);
    },
    async list(caller) {
      return (await store.list(caller)).map(({ text }) => text);
    },
    async forget(caller, preference) {
      const known = await store.list(caller);
      const wanted = preference.trim().toLowerCase();
      const found = known.find(({ text }) => text.toLowerCase() === wanted);
      if (!found || !(await store.remove(caller, found.topic))) {
        throw new UnknownPreferenceError(
          preference,
          known.map(({ text }) => text),
        );
      }
    },
  };
}

async function undo(
  store: PreferenceStore,
  caller: Caller,
  { learned, known }: { readonly learned: Learned; readonly known: readonly Preference[] },
): Promise<void> {
  const { undoes } = learned;
  if (undoes && known.some(is(undoes))) await store.remove(caller, undoes.topic);
}

function is(wanted: { readonly topic: string; readonly text?: string }) {
  return ({ topic, text }: Preference): boolean =>
    topic === wanted.topic && (wanted.text === undefined || text === wanted.text);
}
