import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { testMemoryItemStore } from '../../memory/items/memory-item-store.suite.ts';
import { aMemoryItem, aVector } from '../../../testkit/memory/a-memory-item.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { aStore } from '../../../testkit/store/a-store.ts';

const wanted = { filter: {}, limit: 50 };

describe('memory items in SQLite', () => {
  testMemoryItemStore(() => aStore().memoryItems);

  it('make no database of looking', async () => {
    const store = aStore();
    expect(await store.memoryItems.list(localCaller, {}, { limit: 1 })).toEqual([]);
    expect(await store.memoryItems.byWords(localCaller, ['a'], wanted)).toEqual([]);
    expect(await store.memoryItems.byVector(localCaller, aVector(1), wanted)).toEqual([]);
    expect(await store.memoryItems.forget(localCaller, ['a'])).toEqual([]);
    expect(store.exists()).toBe(false);
  });

  it('show in one process what another one added, changed and forgot', async () => {
    const home = aDirectory();
    const [ours, theirs] = [aStore({ home }).memoryItems, aStore({ home }).memoryItems];
    const found = async (): Promise<string[]> =>
      (await ours.byVector(localCaller, aVector(0), wanted)).map(({ id }) => id).sort();
    const add = (id: string, seed: number) =>
      theirs.add(localCaller, [{ item: aMemoryItem({ id }), vector: aVector(seed) }]);
    await add('one', 1);
    expect(await found()).toEqual(['one']);
    await add('two', 2);
    expect(await found()).toEqual(['one', 'two']);
    await theirs.change(localCaller, 'one', { status: 'excluded' });
    expect(await found()).toEqual(['two']);
    await theirs.forget(localCaller, ['two']);
    expect(await found()).toEqual([]);
    // Changes that are no longer kept: all is read again.
    await add('three', 3);
    const raw = new DatabaseSync(join(home, 'tutti.db'));
    raw.exec('DELETE FROM memory_changes');
    raw.close();
    expect(await found()).toEqual(['three']);
  });

  it('are counted as broken when the index differs from them', async () => {
    const store = aStore();
    await store.memoryItems.add(localCaller, [{ item: aMemoryItem(), vector: aVector(1) }]);
    const raw = new DatabaseSync(store.path);
    raw.exec(`DROP TRIGGER memory_item_changed; UPDATE memory_items SET text = 'other words'`);
    raw.close();
    const { problems } = await store.memoryItems.counts();
    expect(problems).toEqual(['the full-text index differs from the items']);
  });
});
