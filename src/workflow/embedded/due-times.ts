import type { JournalEntry } from '../engine/run-store.ts';
import { isWithin, pathOfKey } from '../interpret/index.ts';

const none: ReadonlyMap<string, number> = new Map();

/** When the sleeps and the time limits of waits are over that were asked for and not forgotten since, by key. */
export function dueTimes(entries: readonly JournalEntry[]): ReadonlyMap<string, number> {
  if (entries.length === 0) return none;
  const times = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === 'due') times.set(entry.key, entry.atMs);
    if (entry.kind === 'forgotten') {
      const paths = new Set(entry.paths);
      for (const key of times.keys()) if (isWithin(pathOfKey(key), paths)) times.delete(key);
    }
  }
  return times;
}
