import { expect, it } from 'vitest';
import { messageKeepMs, type ClientSessionFact, type ClientSessionStore } from './index.ts';

const dayMs = 86_400_000;

/** What every store of client sessions promises. `create` gives an empty one whose clock shows `now()`. */
export function testClientSessionStore(create: (now: () => number) => ClientSessionStore): void {
  const startMs = 1_000_000_000_000;

  function aStoreAt() {
    const time = { nowMs: startMs };
    const store = create(() => time.nowMs);
    const record = (sessionId: string, fact: ClientSessionFact) =>
      store.record({ sessionId, instance: 'one', expiresAtMs: startMs + dayMs, fact });
    return { time, store, record };
  }

  it('returns what holds of a session, and nothing of others', async () => {
    const { store, record } = aStoreAt();
    await record('a', { kind: 'log-level', level: 'debug' });
    await record('a', { kind: 'watch', uri: 'x' });
    await record('a', { kind: 'watch', uri: 'y' });
    await record('a', { kind: 'log-level', level: 'error' });
    await record('a', { kind: 'unwatch', uri: 'x' });
    await record('a', { kind: 'message', text: 'm' });
    expect(new Set(await store.factsOf('a'))).toEqual(
      new Set([
        { kind: 'log-level', level: 'error' },
        { kind: 'watch', uri: 'y' },
      ]),
    );
    expect(await store.factsOf('b')).toEqual([]);
  });

  it('keeps just the end of a session that has ended, and records nothing after it', async () => {
    const { store, record } = aStoreAt();
    await record('a', { kind: 'watch', uri: 'x' });
    await record('a', { kind: 'ended' });
    await record('a', { kind: 'watch', uri: 'y' });
    await record('a', { kind: 'ended' });
    expect(await store.factsOf('a')).toEqual([{ kind: 'ended' }]);
  });

  it('tells what was recorded after a cursor, once and in order', async () => {
    const { store, record } = aStoreAt();
    await record('a', { kind: 'watch', uri: 'before' });
    const { facts: none, cursor } = await store.factsAfter(undefined, 9);
    expect(none).toEqual([]);
    await record('a', { kind: 'watch', uri: 'x' });
    await record('b', { kind: 'message', text: 'm' });
    await record('a', { kind: 'ended' });
    const first = await store.factsAfter(cursor, 1);
    const rest = await store.factsAfter(first.cursor, 9);
    // What an end replaced need not be told.
    const told = [...first.facts, ...rest.facts].filter(({ fact }) => fact.kind !== 'watch');
    expect(told).toEqual([
      {
        sessionId: 'b',
        instance: 'one',
        expiresAtMs: startMs + dayMs,
        fact: { kind: 'message', text: 'm' },
      },
      { sessionId: 'a', instance: 'one', expiresAtMs: startMs + dayMs, fact: { kind: 'ended' } },
    ]);
    expect(await store.factsAfter(rest.cursor, 9)).toEqual({ facts: [], cursor: rest.cursor });
  });

  it('begins with the first fact there is where the cursor is older than any', async () => {
    const { store, record } = aStoreAt();
    const { cursor } = await store.factsAfter(undefined, 9);
    await record('a', { kind: 'ended' });
    expect((await store.factsAfter(cursor, 9)).facts).toHaveLength(1);
  });

  it('forgets messages soon, and the rest with its session', async () => {
    const { time, store, record } = aStoreAt();
    const { cursor } = await store.factsAfter(undefined, 9);
    await record('a', { kind: 'message', text: 'm' });
    await record('b', { kind: 'ended' });
    time.nowMs += messageKeepMs;
    await record('c', { kind: 'watch', uri: 'x' });
    const { facts } = await store.factsAfter(cursor, 9);
    expect(facts.map(({ sessionId }) => sessionId)).toEqual(['b', 'c']);
    time.nowMs += dayMs;
    await store.record({
      sessionId: 'd',
      instance: 'one',
      expiresAtMs: time.nowMs + 1,
      fact: { kind: 'ended' },
    });
    expect(await store.factsOf('b')).toEqual([]);
  });
}
