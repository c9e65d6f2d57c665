import type { Settled } from '../engine/run-scope.ts';
import type { JournalEntry } from '../engine/run-store.ts';
import { isWithin, pathOfKey } from './keys.ts';

/** An entry about a key. */
export type KeyEntry = Exclude<JournalEntry, { readonly kind: 'forgotten' }>;

/** The entries that count, in the order they were recorded: those of steps that were forgotten later are left out. */
export function standingEntries(entries: readonly JournalEntry[]): readonly KeyEntry[] {
  let standing: KeyEntry[] = [];
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

export function settledEntries(entries: readonly JournalEntry[]): readonly Settled[] {
  return standingEntries(entries).flatMap((entry) =>
    entry.kind === 'settled' ? [{ key: entry.key, value: entry.value }] : [],
  );
}

/** By key, when sleeps and the time limits of waits are over. */
export function dueTimes(entries: readonly JournalEntry[]): ReadonlyMap<string, number> {
  return new Map(
    standingEntries(entries).flatMap((entry) =>
      entry.kind === 'due' ? [[entry.key, entry.atMs] as const] : [],
    ),
  );
}

/** Tells how often the step of a key was forgotten: its effects may happen that many times more. */
export function generations(entries: readonly JournalEntry[]): (key: string) => number {
  const forgotten = entries
    .filter((entry) => entry.kind === 'forgotten')
    .map(({ paths }) => new Set(paths));
  return (key) => forgotten.filter((paths) => isWithin(pathOfKey(key), paths)).length;
}

/**
 * Recorded results, given back as a `RunScope` has to: in the order they were recorded in, past one that
 * was not asked for only when nothing before it is left. Takes time logarithmic in what is asked for.
 */
export class RecordedOrder {
  readonly #recorded: readonly Settled[];
  readonly #places = new Map<string, number>();
  /** Places of what was asked for and not yet given, as a heap. */
  readonly #asked: number[] = [];

  constructor(recorded: readonly Settled[]) {
    this.#recorded = recorded;
    for (const [place, { key }] of recorded.entries()) this.#places.set(key, place);
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  /** True when there is a result, which `take` then gives. */
  ask(key: string): boolean {
    const place = this.#places.get(key);
    if (place === undefined) return false;
    this.#places.delete(key);
    push(this.#asked, place);
    return true;
  }

  /** Empty when nothing recorded was asked for. */
  take(): readonly Settled[] {
    const taken: Settled[] = [];
    for (let place = pop(this.#asked); place !== undefined; place = pop(this.#asked)) {
      const settled = this.#recorded[place];
      if (settled !== undefined) taken.push(settled);
      if (this.#asked[0] !== place + 1) break;
    }
    return taken;
  }
}

function push(heap: number[], value: number): void {
  let at = heap.length;
  heap.push(value);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const other = heap[above] ?? 0;
    if (other <= value) break;
    heap[at] = other;
    at = above;
  }
  heap[at] = value;
}

function pop(heap: number[]): number | undefined {
  const [least] = heap;
  const last = heap.pop();
  if (least === undefined || last === undefined || heap.length === 0) return least;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const below = (heap[left + 1] ?? Infinity) < (heap[left] ?? Infinity) ? left + 1 : left;
    const other = heap[below];
    if (other === undefined || other >= last) break;
    heap[at] = other;
    at = below;
  }
  heap[at] = last;
  return least;
}
