import { describe, expect, it } from 'vitest';
import type { Json } from '../../contract/plan/index.ts';
import type { JournalEntry } from '../../workflow/engine/index.ts';
import { readEntries, writeEntries } from './run-rows.ts';

function restore(...commits: readonly unknown[]): readonly JournalEntry[] {
  const rows = commits.map((entries) => ({ entries: JSON.stringify(entries) }));
  return readEntries(rows, 'tutti.db');
}

const call = { kind: 'succeeded', held: { value: { n: 1 } }, startedAt: 1_000, endedAt: 1_007 };

function settled(value: Json): JournalEntry {
  return { kind: 'settled', key: 'a#1', value };
}

describe('the text of a journal', () => {
  it.each<[string, readonly JournalEntry[]]>([
    ['a call that succeeded', [settled(call)]],
    ['several', [settled(call), settled(null), settled([1])]],
    ['a null', [settled({ ...call, held: { value: null } })]],
    ['a cached call', [settled({ ...call, isCached: true })]],
    ['a value with holes', [settled({ ...call, held: { value: 1, holes: [] } })]],
    ['an artifact', [settled({ ...call, held: { artifact: { id: 'x' }, path: [] } })]],
    ['a held null', [settled({ ...call, held: null })]],
    ['odd times', [settled({ ...call, startedAt: 0.5 })]],
    ['times backwards', [settled({ ...call, endedAt: 990 })]],
    ['a failure', [settled({ ...call, kind: 'failed' })]],
    ['lists that look like it', [settled(['a', 1, 2, 3])]],
    ['a sleep', [{ kind: 'due', key: 'a', atMs: 5 }]],
    ['a beginning', [{ kind: 'began', key: 'a', atMs: 5 }]],
    ['what was forgotten', [{ kind: 'forgotten', paths: ['a', 'b'] }]],
    ['nothing', []],
  ])('gives back %s', (_name, entries) => {
    expect(restore(JSON.parse(writeEntries(entries)))).toEqual(entries);
  });

  it('has of a call that succeeded only what others do not have', () => {
    expect(writeEntries([settled(call)])).toBe('[["a#1",1000,7,{"n":1}]]');
  });

  it('gives back entries that are written in full', () => {
    expect(restore([settled(call)], [settled(1)])).toEqual([settled(call), settled(1)]);
  });

  it.each([[7], [[7]], [[['a']]], [[['a', 1, 2]]], [[['a', 'b', 2, 3]]], [[[1, 2]]], [[{}]]])(
    'refuses %j',
    (...lists) => {
      expect(() => restore(...lists)).toThrow(/damaged/);
    },
  );
});
