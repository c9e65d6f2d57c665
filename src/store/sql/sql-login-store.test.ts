import { describe, expect, it } from 'vitest';
import { testLoginStore } from '../../fleet/login/login-store.suite.ts';
import { aStore } from '../../../testkit/store/a-store.ts';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { SqlLoginStore } from './sql-login-store.ts';

describe.each(sqlWorlds)('logins in %s', (_name, aWorld) => {
  testLoginStore(() => new SqlLoginStore(aWorld()().sql));

  it('let one of two processes renew a login', async () => {
    const world = aWorld();
    const stores = [1, 2].map(() => new SqlLoginStore(world().sql));
    const key = { callerId: 'a', server: 'b', nowMs: 0, untilMs: 10 };
    const locks = stores.map((logins, index) => logins.lock({ ...key, owner: `p${index}` }));
    expect((await Promise.all(locks)).filter(Boolean)).toHaveLength(1);
  });
});

it('looks for no login in a SQLite database that is not there', async () => {
  const store = aStore();
  expect(await store.logins.find({ callerId: 'a', server: 'b' })).toBeUndefined();
  expect(await store.logins.remove({ callerId: 'a', server: 'b' })).toBe(false);
  expect(store.exists()).toBe(false);
});
