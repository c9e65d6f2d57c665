import { expect, it } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import type { Session } from '../contract/session/index.ts';
import type { Clock, ProcessIdentity } from '../kernel/index.ts';
import type { SessionLease, SessionOwner, SessionStore } from './session-store.ts';
import { aSession, aTurn } from '../../testkit/memory/a-session.ts';

const stranger = { id: 'stranger' };
const limits = { maxSessions: 100 };
const leaseMs = 1_000;

export interface SessionStoreParts {
  readonly clock: Clock;
  readonly isGone: (process: ProcessIdentity) => Promise<boolean>;
}

const anOwner = (pid: number): SessionOwner => ({
  id: `owner-${pid}`,
  pid,
  processStart: 'here|1',
  leaseMs,
});

/** What every store of sessions promises. `create` gives an empty one. */
export function testSessionStore(create: (parts: SessionStoreParts) => SessionStore): void {
  const setUp = () => {
    const world = { nowMs: Date.UTC(2026, 5, 1), gone: new Set<number>() };
    const store = create({
      clock: { now: () => world.nowMs },
      isGone: async ({ pid }) => world.gone.has(pid),
    });
    const add = (parts: Partial<Session> = {}, caller = localCaller) =>
      store.add(caller, aSession(parts), limits);
    const acquire = async (id: string, pid = 1): Promise<SessionLease> => {
      const acquired = await store.acquire(localCaller, id, anOwner(pid));
      if (acquired.kind !== 'acquired') throw new Error(`${id} is ${acquired.kind}`);
      return acquired.lease;
    };
    return { world, store, add, acquire };
  };

  it('keeps the folder of a session', async () => {
    const { store, add, acquire } = setUp();
    await add({ id: 'old', updatedAt: '2026-01-01T00:00:00.000Z' });
    await add({ id: 'here', folder: '/shop', updatedAt: '2026-01-02T00:00:00.000Z' });
    await add({ id: 'there', folder: '/bank', updatedAt: '2026-01-03T00:00:00.000Z' });
    expect(await store.read(localCaller, 'here')).toMatchObject({ folder: '/shop' });
    expect(await store.read(localCaller, 'old')).not.toHaveProperty('folder');
    const [latest] = await store.list(localCaller, 1);
    expect(latest).toMatchObject({ id: 'there', folder: '/bank' });
    await store.append(await acquire('here'), aTurn(1), { updatedAt: aTurn(1).at });
    expect(await store.read(localCaller, 'here')).toMatchObject({ folder: '/shop' });
  });

  it('gives back a session as it was added, turns and all', async () => {
    const { store } = setUp();
    const full = aSession({
      forkedFrom: { session: 'zero', turn: 2 },
      summary: { text: 'about "it"', turn: 1 },
      turns: [
        aTurn(1),
        aTurn(2, {
          role: 'assistant',
          outcome: 'question',
          questions: ['Which?'],
          runId: 'r1',
          remembered: [{ kind: 'code', content: 'x = 1\n', language: 'python', title: 'x.py' }],
        }),
      ],
    });
    expect(await store.add(localCaller, full, limits)).toBe('added');
    expect(await store.read(localCaller, 'one')).toEqual(full);
    expect(await store.read(localCaller, 'two')).toBeUndefined();
  });

  it('keeps the last task of a session as long as the session, written only under the lease', async () => {
    const { store, add, acquire, world } = setUp();
    await add();
    const first = await acquire('one');
    expect(await store.readTask(first)).toBeUndefined();
    expect(await store.writeTask(first, '{"a":1}')).toBe(true);
    expect(await store.writeTask(first, '{"a":2}')).toBe(true);
    world.gone.add(1);
    const second = await acquire('one', 2);
    expect(await store.writeTask(first, '{"a":3}')).toBe(false);
    expect(await store.readTask(second)).toBe('{"a":2}');
    expect(await store.remove(second)).toBe(true);
    await add();
    expect(await store.readTask(await acquire('one', 2))).toBeUndefined();
  });

  it('keeps one session of an id, whoever brings it, and no more than allowed', async () => {
    const { store, add } = setUp();
    await add();
    expect(await add({ title: 'another' })).toBe('taken');
    expect(await add({ title: 'theirs' }, stranger)).toBe('taken');
    expect(await store.read(localCaller, 'one')).toMatchObject({ title: 'One' });
    expect(await store.add(localCaller, aSession({ id: 'two' }), { maxSessions: 1 })).toBe('full');
    expect(await store.read(localCaller, 'two')).toBeUndefined();
  });

  it('finds and lists those of a caller, the latest changed first', async () => {
    const { store, add, acquire, world } = setUp();
    for (const id of ['aa', 'ab', 'b_', 'bc']) await add({ id, title: id, turns: [aTurn(1)] });
    await add({ id: 'ax' }, stranger);
    const lease = await acquire('aa');
    const updatedAt = new Date(world.nowMs).toISOString();
    await store.amend(lease, { updatedAt });
    await store.release(lease);
    expect(await store.find(localCaller, '', 10)).toEqual(['aa', 'bc', 'b_', 'ab']);
    expect(await store.find(localCaller, 'a', 10)).toEqual(['aa', 'ab']);
    expect(await store.find(localCaller, 'b_', 10)).toEqual(['b_']);
    expect(await store.find(localCaller, '%', 10)).toEqual([]);
    expect(await store.find(localCaller, '', 1)).toEqual(['aa']);
    expect(await store.list(localCaller, 2)).toEqual([
      {
        id: 'aa',
        title: 'aa',
        createdAt: aSession().createdAt,
        updatedAt,
        turns: 1,
        isOpen: false,
      },
      expect.objectContaining({ id: 'bc' }),
    ]);
    expect(await store.list(stranger, 9)).toMatchObject([{ id: 'ax' }]);
    expect(await store.read(stranger, 'aa')).toBeUndefined();
    expect(await store.acquire(stranger, 'aa', anOwner(1))).toEqual({ kind: 'unknown' });
  });

  it('lets one write at a time, and says who does', async () => {
    const { store, add, acquire, world } = setUp();
    await add();
    const lease = await acquire('one', 7);
    expect(await store.acquire(localCaller, 'one', anOwner(8))).toEqual({
      kind: 'busy',
      holder: { pid: 7, since: new Date(world.nowMs).toISOString() },
    });
    expect(await store.list(localCaller, 1)).toMatchObject([{ isOpen: true }]);
    await store.release(lease);
    expect(await store.list(localCaller, 1)).toMatchObject([{ isOpen: false }]);
    await acquire('one', 8);
  });

  it('takes turns one after the other, with what else changes', async () => {
    const { store, add, acquire } = setUp();
    await add();
    const lease = await acquire('one');
    const updatedAt = '2026-07-01T00:00:00.000Z';
    expect(await store.append(lease, aTurn(2), { updatedAt })).toBe(false);
    expect(await store.append(lease, aTurn(1), { updatedAt, title: 'named' })).toBe(true);
    expect(await store.append(lease, aTurn(1), { updatedAt })).toBe(false);
    expect(await store.append(lease, aTurn(2), { updatedAt })).toBe(true);
    const summary = { text: 'gist', turn: 1 };
    expect(await store.amend(lease, { updatedAt, summary })).toBe(true);
    expect(await store.read(localCaller, 'one')).toEqual(
      aSession({ title: 'named', updatedAt, summary, turns: [aTurn(1), aTurn(2)] }),
    );
    const released = await store.acquire(localCaller, 'one', anOwner(2));
    expect(released.kind).toBe('busy');
  });

  it('gives a session on whose process is gone or silent, and takes nothing from who lost it', async () => {
    const { store, add, acquire, world } = setUp();
    await add();
    const first = await acquire('one', 1);
    world.gone.add(1);
    const second = await acquire('one', 2);
    const change = { updatedAt: aSession().updatedAt };
    expect(await store.append(first, aTurn(1), change)).toBe(false);
    expect(await store.amend(first, { ...change, title: 'lost' })).toBe(false);
    expect(await store.renew(first)).toBe(false);
    expect(await store.remove(first)).toBe(false);
    await store.release(first);
    world.nowMs += leaseMs - 1;
    expect(await store.renew(second)).toBe(true);
    world.nowMs += leaseMs - 1;
    expect(await store.acquire(localCaller, 'one', anOwner(3))).toMatchObject({ kind: 'busy' });
    world.nowMs += 1;
    const third = await acquire('one', 3);
    expect(await store.append(second, aTurn(1), change)).toBe(false);
    expect(await store.append(third, aTurn(1), change)).toBe(true);
    expect(await store.read(localCaller, 'one')).toMatchObject({ title: 'One' });
  });

  it('keeps a lease alive with every change', async () => {
    const { store, add, acquire, world } = setUp();
    await add();
    const lease = await acquire('one');
    const change = { updatedAt: aSession().updatedAt };
    for (const number of [1, 2, 3]) {
      world.nowMs += leaseMs - 1;
      expect(await store.append(lease, aTurn(number), change)).toBe(true);
    }
    expect(await store.acquire(localCaller, 'one', anOwner(2))).toMatchObject({ kind: 'busy' });
  });

  it('names what was left open by who is gone', async () => {
    const { store, add, acquire, world } = setUp();
    for (const id of ['closed', 'left', 'held']) await add({ id });
    await store.release(await acquire('closed', 1));
    await acquire('left', 1);
    await acquire('held', 2);
    expect(await store.abandoned(localCaller, 5)).toEqual([]);
    world.gone.add(1);
    expect(await store.abandoned(localCaller, 5)).toEqual(['left']);
    expect(await store.abandoned(stranger, 5)).toEqual([]);
  });

  it('removes the words of turns, with the summary and title that have them', async () => {
    const { store, add, acquire } = setUp();
    const turns = [aTurn(1, { text: 'my secret plan' }), aTurn(2, { text: 'fine' })];
    const summary = { text: 'secret', turn: 1 };
    await add({ turns, summary, title: 'my secret plan' });
    const lease = await acquire('one');
    await store.writeTask(lease, '{"goal":"secret"}');
    const redacted = await store.redact(lease, [1, 9]);
    expect(redacted?.turns).toEqual([
      aTurn(1, { text: '(forgotten)' }),
      aTurn(2, { text: 'fine' }),
    ]);
    expect(redacted).toMatchObject({ title: '', summary: null });
    expect(await store.read(localCaller, 'one')).toEqual(redacted);
    expect(await store.readTask(lease)).toBeUndefined();
    await store.release(lease);
    expect(await store.redact(lease, [2])).toBeUndefined();
  });

  it('leaves an expired lease to anyone, and the session among the abandoned ones until it is released', async () => {
    const { store, add, acquire } = setUp();
    await add();
    const lease = await acquire('one');
    expect(await store.abandoned(localCaller, 9)).toEqual([]);
    await store.expire(lease);
    expect(await store.abandoned(localCaller, 9)).toEqual(['one']);
    expect(await store.list(localCaller, 9)).toMatchObject([{ id: 'one', isOpen: false }]);
    const next = await acquire('one');
    expect(await store.append(lease, aTurn(1), { updatedAt: '2026-01-01T00:00:00.000Z' })).toBe(
      false,
    );
    await store.release(next);
    expect(await store.abandoned(localCaller, 9)).toEqual([]);
  });

  it('removes a session with its turns, for who has it', async () => {
    const { store, add, acquire } = setUp();
    await add({ turns: [aTurn(1)] });
    const lease = await acquire('one');
    expect(await store.remove(lease)).toBe(true);
    expect(await store.remove(lease)).toBe(false);
    expect(await store.read(localCaller, 'one')).toBeUndefined();
    expect(await add()).toBe('added');
    expect(await store.read(localCaller, 'one')).toMatchObject({ turns: [] });
  });
}
