import { expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { MemoryItemStore } from './memory-item-store.ts';
import { aMemoryItem, aVector } from '../../../testkit/memory/a-memory-item.ts';

const stranger = { id: 'stranger' };
const wanted = { filter: {}, limit: 10 };

/** What every store of memory items promises. `create` gives an empty one. */
export function testMemoryItemStore(create: () => MemoryItemStore): void {
  async function filled(): Promise<MemoryItemStore> {
    const store = create();
    const texts = [
      'The staging database listens on port 5433',
      'Alice prefers tabs over spaces',
      'We decided to ship the release on Friday',
    ];
    await store.add(
      localCaller,
      texts.map((text, n) => ({
        item: aMemoryItem({ id: `item${n}`, text, observedAt: `2026-01-0${n + 1}T00:00:00.000Z` }),
        vector: aVector(n),
      })),
    );
    await store.add(stranger, [
      { item: aMemoryItem({ id: 'theirs', text: 'port 9999 is secret' }), vector: aVector(0) },
    ]);
    return store;
  }
  const ids = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => id);

  it('gives the pinned items of a caller, the latest first', async () => {
    const store = create();
    const added = ['a', 'b', 'c', 'd'].map((id, n) => {
      const observedAt = `2026-01-0${n + 1}T00:00:00.000Z`;
      return { item: aMemoryItem({ id, observedAt, pinned: id !== 'b' }) };
    });
    await store.add(localCaller, added);
    await store.add(stranger, [{ item: aMemoryItem({ id: 'theirs', pinned: true }) }]);
    await store.change(localCaller, 'd', { pinned: false });
    expect(ids(await store.pinned(localCaller, 9))).toEqual(['c', 'a']);
    expect(ids(await store.pinned(localCaller, 1))).toEqual(['c']);
  });

  it('gives back what it was given, to its caller alone', async () => {
    const store = await filled();
    const item = aMemoryItem({
      id: 'whole',
      kind: 'decision',
      source: { kind: 'file', path: 'notes.md' },
      status: 'candidate',
      sensitivity: 'sensitive',
      pinned: true,
      validUntil: '2027-01-01T00:00:00.000Z',
    });
    expect(await store.add(localCaller, [{ item }])).toBe('added');
    expect(await store.get(localCaller, ['whole', 'theirs', 'nothing', 'item0'])).toMatchObject([
      item,
      { id: 'item0' },
    ]);
    expect(await store.get(stranger, ['whole'])).toEqual([]);
    expect(await store.find(localCaller, 'item', 9)).toEqual(['item2', 'item1', 'item0']);
    expect(await store.count(localCaller)).toBe(4);
  });

  it('finds by words without their endings, the best first, for the caller alone', async () => {
    const store = await filled();
    expect(ids(await store.byWords(localCaller, ['ports', 'databases'], wanted))).toEqual([
      'item0',
    ]);
    expect(ids(await store.byWords(localCaller, ['"', 'NOT', '*', 'TABS'], wanted))).toEqual([
      'item1',
    ]);
    expect(await store.byWords(localCaller, [], wanted)).toEqual([]);
    expect(ids(await store.byWords(stranger, ['port'], wanted))).toEqual(['theirs']);
  });

  it('finds by vector, with the cosine', async () => {
    const store = await filled();
    const [first, ...others] = await store.byVector(localCaller, aVector(1), wanted);
    expect(first?.id).toBe('item1');
    expect(first?.score).toBeCloseTo(1, 2);
    expect(others).toHaveLength(2);
    expect(ids(await store.byVector(stranger, aVector(1), wanted))).toEqual(['theirs']);
  });

  it('leaves out what a filter leaves out, by words and by vector alike', async () => {
    const store = await filled();
    const other = { text: 'port of call', vector: aVector(0) };
    for (const [id, parts] of Object.entries({
      candidate: { status: 'candidate' },
      excluded: { status: 'excluded' },
      sensitive: { sensitivity: 'sensitive' },
      decided: { kind: 'decision' },
      expired: { validUntil: '2026-01-05T00:00:00.000Z' },
      late: { observedAt: '2026-03-01T00:00:00.000Z' },
    } as const)) {
      const item = aMemoryItem({ id, text: other.text, ...parts });
      await store.add(localCaller, [{ item, vector: other.vector }]);
    }
    const search = async (filter: Parameters<typeof store.list>[1]): Promise<string[]> => {
      const found = ids(await store.byWords(localCaller, ['port'], { filter, limit: 99 })).sort();
      const near = ids(await store.byVector(localCaller, aVector(0), { filter, limit: 99 }));
      const likely = near.filter((id) => id !== 'item1' && id !== 'item2').sort();
      expect(likely).toEqual(found);
      return found;
    };
    expect(await search({})).toEqual(['decided', 'expired', 'item0', 'late']);
    expect(await search({ kinds: ['decision'] })).toEqual(['decided']);
    expect(await search({ statuses: ['candidate', 'excluded'] })).toEqual([
      'candidate',
      'excluded',
    ]);
    expect(await search({ sensitivities: ['sensitive'] })).toEqual(['sensitive']);
    expect(await search({ validAt: '2026-02-01T00:00:00.000Z', kinds: ['fact'] })).toEqual([
      'item0',
      'late',
    ]);
    expect(await search({ observedFrom: '2026-02-01T00:00:00.000Z' })).toEqual(['late']);
    expect(await search({ observedUntil: '2026-01-01T00:00:00.000Z', kinds: ['fact'] })).toEqual([
      'expired',
      'item0',
    ]);
    expect(await search({ session: 'none' })).toEqual([]);
  });

  it('lists the latest observed first, page by page', async () => {
    const store = await filled();
    const [latest] = await store.list(localCaller, {}, { limit: 1 });
    expect(latest?.id).toBe('item2');
    expect(ids(await store.list(localCaller, {}, { limit: 9, after: 'item2' }))).toEqual([
      'item1',
      'item0',
    ]);
  });

  it('ends what is superseded and keeps it as history', async () => {
    const store = await filled();
    const validFrom = '2026-02-01T00:00:00.000Z';
    const item = aMemoryItem({ id: 'newer', text: 'It listens on port 6000', validFrom });
    expect(await store.supersede(stranger, 'item0', { item })).toBe('unknown');
    expect(await store.supersede(localCaller, 'item0', { item, vector: aVector(0) })).toBe(
      'superseded',
    );
    expect(await store.get(localCaller, ['item0', 'newer'])).toMatchObject([
      { supersededBy: 'newer', validUntil: validFrom, text: expect.stringContaining('5433') },
      { supersedes: 'item0', validUntil: null },
    ]);
    const again = aMemoryItem({ id: 'again' });
    expect(await store.supersede(localCaller, 'item0', { item: again })).toBe('unknown');
    const filter = { validAt: '2026-03-01T00:00:00.000Z' };
    const current = { filter, limit: 9 };
    expect(ids(await store.byWords(localCaller, ['port'], current))).toEqual(['newer']);
    expect(ids(await store.byVector(localCaller, aVector(0), current))).not.toContain('item0');
  });

  it('lets a candidate supersede once it is accepted', async () => {
    const store = await filled();
    const item = aMemoryItem({ id: 'maybe', status: 'candidate', supersedes: 'item0' });
    await store.add(localCaller, [{ item }]);
    const [before] = await store.get(localCaller, ['item0']);
    expect(before).toMatchObject({ supersededBy: null, validUntil: null });
    await store.change(localCaller, 'maybe', { status: 'active' });
    expect(await store.get(localCaller, ['item0'])).toMatchObject([{ supersededBy: 'maybe' }]);
  });

  it('pins, excludes and accepts, and what is changed counts in the next search', async () => {
    const store = await filled();
    expect(await store.byVector(localCaller, aVector(0), wanted)).toHaveLength(3);
    expect(await store.change(stranger, 'item0', { status: 'excluded' })).toBe(false);
    expect(await store.change(localCaller, 'item0', { status: 'excluded' })).toBe(true);
    expect(await store.change(localCaller, 'item1', { pinned: true })).toBe(true);
    expect(await store.get(localCaller, ['item0', 'item1'])).toMatchObject([
      { status: 'excluded', pinned: false },
      { status: 'active', pinned: true },
    ]);
    expect(await store.byVector(localCaller, aVector(0), wanted)).toHaveLength(2);
    await store.change(localCaller, 'item0', { status: 'active' });
    expect(await store.byVector(localCaller, aVector(0), wanted)).toHaveLength(3);
  });

  it('forgets an item with the versions before it, and nothing of others', async () => {
    const store = await filled();
    const newer = aMemoryItem({ id: 'newer', text: 'It listens on port 6000' });
    await store.supersede(localCaller, 'item0', { item: newer, vector: aVector(0) });
    await store.byVector(localCaller, aVector(0), wanted);
    expect(await store.forget(stranger, ['newer', 'item1'])).toEqual([]);
    expect(ids(await store.forget(localCaller, ['newer', 'nothing'])).sort()).toEqual([
      'item0',
      'newer',
    ]);
    expect(await store.get(localCaller, ['newer', 'item0'])).toEqual([]);
    expect(await store.byWords(localCaller, ['port', 'listen'], wanted)).toEqual([]);
    const left = await store.byVector(localCaller, aVector(0), wanted);
    expect(ids(left).sort()).toEqual(['item1', 'item2']);
    expect(await store.counts()).toMatchObject({ items: 3, indexed: 3, vectors: 3, problems: [] });
  });

  it('takes vectors later, and says how many are missing', async () => {
    const store = await filled();
    await store.add(localCaller, [{ item: aMemoryItem({ id: 'bare', text: 'bare words' }) }]);
    expect(await store.counts()).toMatchObject({ items: 5, vectors: 4, pendingVectors: 1 });
    expect(await store.pendingVectors(9)).toEqual([{ id: 'bare', text: 'bare words' }]);
    await store.addVectors([
      { id: 'bare', vector: aVector(7) },
      { id: 'gone', vector: aVector(7) },
    ]);
    expect(await store.pendingVectors(9)).toEqual([]);
    const [nearest] = await store.byVector(localCaller, aVector(7), wanted);
    expect(nearest?.id).toBe('bare');
  });

  it('adds all or nothing, and nothing without its source', async () => {
    const store = await filled();
    for (const source of [
      { kind: 'turn', session: 'none', turn: 1, role: 'user' },
      { kind: 'run', runId: 'none' },
    ] as const) {
      const items = [aMemoryItem({ id: 'fine' }), aMemoryItem({ id: 'orphan', source })];
      expect(
        await store.add(
          localCaller,
          items.map((item) => ({ item })),
        ),
      ).toBe('unknown_source');
    }
    expect(await store.count(localCaller)).toBe(3);
  });
}
