import { describe, expect, it } from 'vitest';
import { testInstanceStore } from '../../contract/instance/instance-store.suite.ts';
import { aStore } from '../../../testkit/store/a-store.ts';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { SqlInstanceStore } from './sql-instance-store.ts';

describe.each(sqlWorlds)('instances in %s', (_name, aWorld) => {
  testInstanceStore((now) => new SqlInstanceStore(aWorld()().sql, { clock: { now } }));
});

describe('instances in SQLite', () => {
  it('are not looked for in a database that is not there', async () => {
    const store = aStore();
    expect(await store.instances.list()).toEqual([]);
    expect(await store.instances.requestDrain('a')).toBe(false);
    expect(store.exists()).toBe(false);
  });
});
