import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { isGone, systemClock } from '../../kernel/index.ts';
import { testPreferenceStore } from '../../memory/preference-store.suite.ts';
import { testSessionStore } from '../../memory/session-store.suite.ts';
import { aSession, aTurn } from '../../../testkit/memory/a-session.ts';
import { aStore } from '../../../testkit/store/a-store.ts';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { SqlArtifactIndex } from './sql-artifact-index.ts';
import { SqlPreferenceStore } from './sql-preference-store.ts';
import { SqlSessionStore } from './sql-session-store.ts';

const owner = { id: 'me', pid: process.pid, processStart: 'here|1', leaseMs: 60_000 };

describe.each(sqlWorlds)('sessions in %s', (_name, aWorld) => {
  testSessionStore(
    ({ clock: leaseClock, ...parts }) =>
      new SqlSessionStore(aWorld()().sql, { leaseClock, ...parts }),
  );

  it('are read once by who goes on with them, and anew when anybody else wrote', async () => {
    const world = aWorld();
    let nowMs = 1_000;
    const options = { leaseClock: { now: () => nowMs++ }, isGone };
    const ours = new SqlSessionStore(world().sql, options);
    const theirs = new SqlSessionStore(world().sql, options);
    const them = { ...owner, id: 'them', pid: owner.pid + 1 };
    const open = async (store: SqlSessionStore, who = owner) => {
      const acquired = await store.acquire(localCaller, 'one', who);
      if (acquired.kind !== 'acquired') throw new Error(acquired.kind);
      return acquired;
    };
    const change = { updatedAt: aSession().updatedAt };
    await ours.add(localCaller, aSession({ turns: [aTurn(1)] }), { maxSessions: 9 });
    const first = await open(ours);
    await ours.append(first.lease, aTurn(2), change);
    await ours.release(first.lease);
    const again = await open(ours);
    expect(again.session.turns).toEqual([aTurn(1), aTurn(2)]);
    expect(again.session.turns[0]).toBe(first.session.turns[0]);
    await ours.release(again.lease);
    const other = await open(theirs, them);
    await theirs.append(other.lease, aTurn(3), change);
    await theirs.release(other.lease);
    expect((await ours.read(localCaller, 'one'))?.turns).toHaveLength(3);
    const since = await open(ours);
    expect(since.session.turns).toHaveLength(3);
    await ours.release(since.lease);
    // Removed and brought back with other words, as often opened as the one that is known here.
    await theirs.remove((await open(theirs, them)).lease);
    const turns = [1, 2, 3].map((number) => aTurn(number, { text: 'other', isTainted: true }));
    await theirs.add(localCaller, aSession({ turns }), { maxSessions: 9 });
    for (let epoch = 0; epoch < since.lease.epoch; epoch += 1) {
      await theirs.release((await open(theirs, them)).lease);
    }
    expect((await open(ours)).session.turns).toEqual(turns);
  });

  it('give one of two who reach for the same at once, and tell the other who was faster', async () => {
    const open = aWorld();
    const options = { leaseClock: systemClock, isGone };
    const [one, two] = [1, 2].map(() => new SqlSessionStore(open().sql, options));
    await one?.add(localCaller, aSession(), { maxSessions: 1 });
    const both = await Promise.all([
      one?.acquire(localCaller, 'one', owner),
      two?.acquire(localCaller, 'one', { ...owner, id: 'you' }),
    ]);
    expect(new Set(both.map((outcome) => outcome?.kind))).toEqual(new Set(['acquired', 'busy']));
  });

  it('take along what was given in them when they go, unless a fork still needs it', async () => {
    const { sql } = aWorld()();
    const sessions = new SqlSessionStore(sql, { leaseClock: systemClock, isGone });
    const artifactIndex = new SqlArtifactIndex(sql);
    const id = `sha256:${'0'.repeat(64)}`;
    const origin = { step: 'attachment', tool: null, argumentsDigest: null, inputs: [] };
    const lineage = { ...origin, runId: 'one', createdAt: new Date(0).toISOString() };
    const file = { id, bytes: 1, mediaType: 'text/plain', callerId: localCaller.id, lineage };
    const holders = async (): Promise<string[]> =>
      (await artifactIndex.makersOf(localCaller, id, 9)).map(({ lineage: { runId } }) => runId);
    const removeNow = async (session: string): Promise<void> => {
      const acquired = await sessions.acquire(localCaller, session, owner);
      expect(acquired.kind === 'acquired' && (await sessions.remove(acquired.lease))).toBe(true);
    };
    await sessions.add(localCaller, aSession(), { maxSessions: 9 });
    await artifactIndex.add(file, () => true);
    const forkedFrom = { session: 'one', turn: 0 };
    await sessions.add(localCaller, aSession({ id: 'two', forkedFrom }), { maxSessions: 9 });
    expect(await holders()).toEqual(['one', 'two']);
    await removeNow('one');
    expect(await holders()).toEqual(['two']);
    await removeNow('two');
    expect(await holders()).toEqual([]);
  });
});

describe('sessions in SQLite', () => {
  it('make no database of looking', async () => {
    const store = aStore();
    expect(await store.sessions.find(localCaller, '', 1)).toEqual([]);
    expect(await store.sessions.list(localCaller, 1)).toEqual([]);
    expect(await store.sessions.read(localCaller, 'one')).toBeUndefined();
    expect(await store.sessions.abandoned(localCaller, 1)).toEqual([]);
    expect(await store.sessions.acquire(localCaller, 'one', owner)).toEqual({ kind: 'unknown' });
    expect(await store.preferences.list(localCaller)).toEqual([]);
    expect(store.exists()).toBe(false);
  });

  it.each([
    'UPDATE session_turns SET turn = \'{"number":1}\'',
    "UPDATE session_turns SET turn = '{'",
    "UPDATE sessions SET session_id = 'one', summary = 'x', summary_turn = 0",
  ])('say so when a row is damaged: %s', async (sql) => {
    const store = aStore();
    await store.sessions.add(localCaller, aSession({ turns: [aTurn(1)] }), { maxSessions: 1 });
    const raw = new DatabaseSync(store.path);
    raw.exec(sql);
    raw.close();
    await expect(store.sessions.read(localCaller, 'one')).rejects.toMatchObject({
      code: 'store.corrupt',
    });
    await expect(store.sessions.acquire(localCaller, 'one', owner)).rejects.toMatchObject({
      code: 'store.corrupt',
    });
    expect(await store.sessions.list(localCaller, 1)).toMatchObject([{ isOpen: false }]);
  });
});

describe.each(sqlWorlds)('preferences in %s', (_name, aWorld) => {
  testPreferenceStore(() => new SqlPreferenceStore(aWorld()().sql));
});
