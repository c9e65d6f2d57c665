import { describe, expect, it } from 'vitest';
import { testClientSessionStore } from '../../contract/client-session/client-session-store.suite.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { aStore } from '../../../testkit/store/a-store.ts';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { SqlClientSessionStore } from './sql-client-session-store.ts';

describe.each(sqlWorlds)('client sessions in %s', (_name, aWorld) => {
  testClientSessionStore((now) => new SqlClientSessionStore(aWorld()().sql, { clock: { now } }));
});

describe('client sessions in SQLite', () => {
  it('are not looked for in a database that is not there', async () => {
    const store = aStore();
    const { cursor } = await store.clientSessions.factsAfter(undefined, 1);
    expect(await store.clientSessions.factsOf('a')).toEqual([]);
    expect(await store.clientSessions.factsAfter(cursor, 1)).toEqual({ facts: [], cursor });
    expect(store.exists()).toBe(false);
  });

  it('are told from one process to another', async () => {
    const home = aDirectory();
    const [one, other] = [aStore({ home }).clientSessions, aStore({ home }).clientSessions];
    const { cursor } = await other.factsAfter(undefined, 9);
    const expiresAtMs = Date.now() + 1_000;
    await one.record({ sessionId: 'a', instance: 'i', expiresAtMs, fact: { kind: 'ended' } });
    expect((await other.factsAfter(cursor, 9)).facts).toMatchObject([{ sessionId: 'a' }]);
  });
});
