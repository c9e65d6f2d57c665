import type { Json } from '../../contract/plan/index.ts';
import type { JournalEntry } from '../../workflow/engine/index.ts';

/**
 * What one commit adds to the journal of a run, as text. A commit of a step writes little else, so what most
 * entries have in common is left out: a result is `[key, value]`, that of a call which succeeded with a value
 * of its own `[key, startedAt, tookMs, value]`. All others are as they are.
 */
export function writeEntries(entries: readonly JournalEntry[]): string {
  const [only, another] = entries;
  // A list of one, without making another list.
  if (only && !another) return `[${JSON.stringify(shortened(only))}]`;
  return JSON.stringify(entries.map(shortened));
}

/** All entries of such texts, parsed; undefined for what `writeEntries` cannot have written. */
export function restoreEntries(lists: readonly unknown[]): readonly JournalEntry[] | undefined {
  const entries: JournalEntry[] = [];
  for (const written of lists) {
    if (!Array.isArray(written)) return undefined;
    for (const each of written) {
      const entry: unknown = Array.isArray(each) ? restoreSettled(each) : each;
      if (!isEntry(entry)) return undefined;
      entries.push(entry);
    }
  }
  return entries;
}

function shortened(entry: JournalEntry): unknown {
  if (entry.kind !== 'settled') return entry;
  const { key, value } = entry;
  return shortenedCall(key, value) ?? [key, value];
}

function shortenedCall(key: string, outcome: Json): readonly Json[] | undefined {
  if (typeof outcome !== 'object' || outcome === null || Array.isArray(outcome)) return undefined;
  // An object, as it is no list; its members are looked at one by one.
  const { kind, held, startedAt, endedAt } = outcome as Readonly<Record<string, Json>>;
  if (kind !== 'succeeded' || !isWhole(startedAt) || !isWhole(endedAt)) return undefined;
  if (countMembers(outcome) !== callMembers) return undefined;
  if (typeof held !== 'object' || held === null || Array.isArray(held)) return undefined;
  const { value } = held as Readonly<Record<string, Json>>;
  if (value === undefined || countMembers(held) !== 1) return undefined;
  return [key, startedAt, endedAt - startedAt, value];
}

/** `kind`, `held`, `startedAt` and `endedAt`. */
const callMembers = 4;

function countMembers(object: object): number {
  let count = 0;
  for (const name in object) if (Object.hasOwn(object, name)) count += 1;
  return count;
}

function restoreSettled(written: readonly unknown[]): unknown {
  const [key, second, tookMs, value] = written;
  if (written.length === 2) return { kind: 'settled', key, value: second };
  if (written.length !== callMembers || !isWhole(second) || !isWhole(tookMs)) return undefined;
  const outcome = {
    kind: 'succeeded',
    held: { value },
    startedAt: second,
    endedAt: second + tookMs,
  };
  return { kind: 'settled', key, value: outcome };
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** How each kind of entry is known. */
const entryFields: Readonly<Record<JournalEntry['kind'], (entry: Fields) => boolean>> = {
  settled: ({ key, value }) => typeof key === 'string' && value !== undefined,
  due: ({ key, atMs }) => typeof key === 'string' && typeof atMs === 'number',
  began: ({ key, atMs }) => typeof key === 'string' && typeof atMs === 'number',
  forgotten: ({ paths }) => Array.isArray(paths),
};

interface Fields {
  readonly kind?: unknown;
  readonly key?: unknown;
  readonly value?: unknown;
  readonly atMs?: unknown;
  readonly paths?: unknown;
}

function isEntry(value: unknown): value is JournalEntry {
  if (typeof value !== 'object' || value === null) return false;
  const entry: Fields = value;
  return isKind(entry.kind) && entryFields[entry.kind](entry);
}

function isKind(kind: unknown): kind is JournalEntry['kind'] {
  return typeof kind === 'string' && Object.hasOwn(entryFields, kind);
}
