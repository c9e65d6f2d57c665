import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { testMemoryItemStore } from '../../memory/items/memory-item-store.suite.ts';
import { aMemoryItem, aVector } from '../../../testkit/memory/a-memory-item.ts';
import { sqlWorlds, type SqlWorld } from '../../../testkit/store/sql-worlds.ts';
import { all } from './sql-database.ts';
import { SqlMemoryItemStore } from './sql-memory-item-store.ts';
import { aStore } from '../../../testkit/store/a-store.ts';

const wanted = { filter: {}, limit: 50 };

const dimensions = 384;

const rankedTexts = [
  'The staging database listens on port 5433',
  'Ports, ports and more ports: the database has port 1 and port 2',
  'A database of ports',
  'The café opens at nine; CAFE Élan closes',
  "L'état c'est moi, said the user_name of v2",
  'We deployed on Friday; deployments are done by C++ programs at https://example.org/deploy?now=1',
  'foo-bar baz.qux 3.14 it isn’t',
  'Ärger über Öl und ports',
];

describe.each(sqlWorlds)('memory items in %s', (_name, aWorld) => {
  const aMemory = (open: SqlWorld): SqlMemoryItemStore => {
    const { sql, memory } = open();
    return new SqlMemoryItemStore(sql, memory, { dimensions });
  };
  testMemoryItemStore(() => aMemory(aWorld()));

  it('show in one process what another one added, changed and forgot', async () => {
    const world = aWorld();
    const [ours, theirs] = [aMemory(world), aMemory(world)];
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
    await world().sql.write({ locks: [], durability: 'full' }, () =>
      all('DELETE FROM memory_changes'),
    );
    expect(await found()).toEqual(['three']);
  });

  it('are ranked by words in the same order', async () => {
    const store = aMemory(aWorld());
    await store.add(
      localCaller,
      rankedTexts.map((text, n) => ({ item: aMemoryItem({ id: `i${n}`, text }) })),
    );
    const ranked = async (...words: string[]): Promise<string> =>
      (await store.byWords(localCaller, words, wanted))
        .map(({ id, score }) => `${id} ${score.toFixed(6)}`)
        .join(', ');
    expect(await ranked('port', 'ports', 'database')).toMatchInlineSnapshot(
      `"i2 0.588668, i0 0.501934, i1 0.387691, i7 0.000002"`,
    );
    expect(await ranked('café', 'élan')).toMatchInlineSnapshot(`"i3 4.004026"`);
    expect(await ranked('état')).toMatchInlineSnapshot(`"i4 1.493823"`);
    expect(await ranked('user_name', 'v2', 'C++')).toMatchInlineSnapshot(
      `"i4 3.874517, i5 0.711607"`,
    );
    expect(await ranked('deploying')).toMatchInlineSnapshot(`"i5 1.790953"`);
    expect(await ranked('nothing', "it's", "'", '\\')).toMatchInlineSnapshot(`""`);
  });
});

describe('memory items in SQLite', () => {
  it('make no database of looking', async () => {
    const store = aStore();
    expect(await store.memoryItems.list(localCaller, {}, { limit: 1 })).toEqual([]);
    expect(await store.memoryItems.byWords(localCaller, ['a'], wanted)).toEqual([]);
    expect(await store.memoryItems.byVector(localCaller, aVector(1), wanted)).toEqual([]);
    expect(await store.memoryItems.forget(localCaller, ['a'])).toEqual([]);
    expect(store.exists()).toBe(false);
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
