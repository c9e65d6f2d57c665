import type { JournalEntry } from '../engine/run-store.ts';
import { isWithin, pathOfKey } from '../interpret/keys.ts';

export type StandingEntry = Exclude<JournalEntry, { readonly kind: 'forgotten' }>;

/** The entries that count: those of steps that were made to run again are left out. */
export function standingEntries(entries: readonly JournalEntry[]): readonly StandingEntry[] {
  let standing: StandingEntry[] = [];
  for (const entry of entries) {
    if (entry.kind !== 'forgotten') {
      standing.push(entry);
      continue;
    }
    const paths = new Set(entry.paths);
    standing = standing.filter(({ key }) => !isWithin(pathOfKey(key), paths));
  }
  return standing;
}
