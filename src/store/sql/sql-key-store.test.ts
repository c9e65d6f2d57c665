import { describe, expect, it } from 'vitest';
import { testKeyStore } from '../../access/key-store.suite.ts';
import { aStore } from '../../../testkit/store/a-store.ts';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { SqlKeyStore } from './sql-key-store.ts';

describe.each(sqlWorlds)('keys in %s', (_name, aWorld) => {
  testKeyStore(() => new SqlKeyStore(aWorld()().sql));
});

it('answers before there is a SQLite database, and creates none for it', async () => {
  const store = aStore();
  const { keys } = store;
  expect(await keys.list(null, 10)).toEqual([]);
  expect(await keys.candidates('tutti_x')).toEqual([]);
  expect(await keys.runGrant('r1')).toBeUndefined();
  expect(await keys.revision()).toBe(0);
  expect((await keys.state()).closedKeys.size).toBe(0);
  expect(store.exists()).toBe(false);
});
