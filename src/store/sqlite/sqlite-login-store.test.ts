import { describe, expect, it } from 'vitest';
import { aStore } from '../../../testkit/store/a-store.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { testLoginStore } from '../../fleet/login/login-store.suite.ts';

describe('logins in SQLite', () => {
  testLoginStore(() => aStore().logins);

  it('are not looked for in a database that is not there', async () => {
    const store = aStore();
    expect(await store.logins.find({ callerId: 'a', server: 'b' })).toBeUndefined();
    expect(await store.logins.remove({ callerId: 'a', server: 'b' })).toBe(false);
    expect(store.exists()).toBe(false);
  });

  it('let one of two processes renew a login', async () => {
    const home = aDirectory();
    const stores = [aStore({ home }), aStore({ home })];
    const key = { callerId: 'a', server: 'b', nowMs: 0, untilMs: 10 };
    const locks = stores.map(({ logins }, index) => logins.lock({ ...key, owner: `p${index}` }));
    expect((await Promise.all(locks)).filter(Boolean)).toHaveLength(1);
  });
});
