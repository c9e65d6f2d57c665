import { expect, it } from 'vitest';
import { forgetAfterMs, goneAfterMs, type InstanceReport, type InstanceStore } from './index.ts';

export function aReport(changes: Partial<InstanceReport> = {}): InstanceReport {
  return {
    id: 'one',
    host: 'alpha',
    version: '1.0.0',
    address: 'http://127.0.0.1:8004',
    isDraining: false,
    servers: 1,
    calls: 2,
    runs: 3,
    ...changes,
  };
}

/** What every store of instances promises. `create` gives an empty one whose clock shows `now()`. */
export function testInstanceStore(create: (now: () => number) => InstanceStore): void {
  const startMs = 1_000_000_000_000;

  function aStoreAt() {
    const time = { nowMs: startMs };
    return { time, store: create(() => time.nowMs) };
  }

  it('lists instances with what they said last, by the clock of the store', async () => {
    const { time, store } = aStoreAt();
    await store.beat(aReport());
    time.nowMs += 1_000;
    await store.beat(aReport({ id: 'other', isDraining: true }));
    await store.beat(aReport({ calls: 7 }));
    expect(await store.list()).toEqual([
      {
        ...aReport({ calls: 7 }),
        state: 'serving',
        startedAt: new Date(startMs).toISOString(),
        lastBeatAt: new Date(startMs + 1_000).toISOString(),
      },
      {
        ...aReport({ id: 'other', isDraining: true }),
        state: 'draining',
        startedAt: new Date(startMs + 1_000).toISOString(),
        lastBeatAt: new Date(startMs + 1_000).toISOString(),
      },
    ]);
  });

  it('shows one without a beat as gone, and forgets it', async () => {
    const { time, store } = aStoreAt();
    await store.beat(aReport());
    time.nowMs += goneAfterMs;
    expect(await store.list()).toMatchObject([{ id: 'one', state: 'gone' }]);
    time.nowMs = startMs + forgetAfterMs;
    expect(await store.list()).toEqual([]);
    await store.beat(aReport({ id: 'other' }));
    time.nowMs = startMs;
    expect(await store.list()).toMatchObject([{ id: 'other' }]);
  });

  it('tells an instance with its beats that it is to drain', async () => {
    const { store } = aStoreAt();
    expect(await store.requestDrain('one')).toBe(false);
    expect(await store.beat(aReport())).toEqual({ isDrainRequested: false });
    await store.beat(aReport({ id: 'other' }));
    expect(await store.requestDrain('one')).toBe(true);
    expect(await store.beat(aReport())).toEqual({ isDrainRequested: true });
    expect(await store.beat(aReport({ id: 'other' }))).toEqual({ isDrainRequested: false });
    expect(await store.list()).toMatchObject([
      { id: 'one', state: 'draining' },
      { id: 'other', state: 'serving' },
    ]);
  });

  it('removes one that has ended', async () => {
    const { store } = aStoreAt();
    await store.beat(aReport());
    await store.remove('one');
    expect(await store.list()).toEqual([]);
  });
}
