import type { JournalEntry } from '../engine/run-store.ts';
import { isWithin, pathOfKey } from '../interpret/keys.ts';

/** Tells how often the step of a key was forgotten: its effects may happen that many times more. */
export function generations(entries: readonly JournalEntry[]): (key: string) => number {
  const forgotten = entries
    .filter((entry) => entry.kind === 'forgotten')
    .map(({ paths }) => new Set(paths));
  if (forgotten.length === 0) return () => 0;
  return (key) => {
    const path = pathOfKey(key);
    return forgotten.filter((paths) => isWithin(path, paths)).length;
  };
}
