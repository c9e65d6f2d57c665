import { expect, it, vi } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import { beatEveryMs, goneAfterMs } from '../contract/instance/index.ts';
import { silentLog } from '../kernel/index.ts';
import { ManualTimers, settle } from '../../testkit/fleet/manual-timers.ts';
import { aStore } from '../../testkit/store/a-store.ts';
import { instancesHere } from './instances.ts';

function anInstance(log = silentLog) {
  const timers = new ManualTimers();
  const store = aStore({ clock: timers }).instances;
  const servers = [
    { transport: 'stdio', state: 'ready' },
    { transport: 'stdio', state: 'failed' },
    { transport: 'in-process', state: 'ready' },
  ] as never;
  const instances = instancesHere({
    store: { instances: store },
    version: '1.0.0',
    fleet: { control: { status: async () => servers } },
    runs: { count: async () => 4 },
    timers,
    log,
  });
  const drain = vi.fn<() => void>();
  const serving = { address: 'http://a', calls: () => 3, isDraining: () => false, drain };
  return { timers, store, instances, drain, join: () => instances.join(serving) };
}

it('says what this process does, again and again, until it leaves', async () => {
  const { timers, instances, join } = anInstance();
  const leave = join();
  await settle();
  const own = { address: 'http://a', state: 'serving', servers: 1, calls: 3, runs: 4 };
  expect(await instances.list()).toMatchObject([own]);
  await timers.pass(10 * goneAfterMs);
  expect(await instances.list()).toMatchObject([own]);
  await leave();
  expect(await instances.list()).toEqual([]);
  await timers.pass(10 * beatEveryMs);
  expect(await instances.list()).toEqual([]);
});

it('drains once when it was asked to, by the beginning of its id', async () => {
  const { timers, instances, drain, join } = anInstance();
  join();
  await settle();
  const [{ id } = { id: '' }] = await instances.list();
  expect(await instances.drain(localCaller, id.slice(0, 3))).toMatchObject({ state: 'draining' });
  await timers.pass(3 * beatEveryMs);
  expect(drain).toHaveBeenCalledTimes(1);
});

it('refuses to drain what is unknown, not one, or gone', async () => {
  const { timers, store, instances } = anInstance();
  const report = { host: 'h', version: '1', address: 'a', isDraining: false };
  for (const id of ['aa', 'ab']) await store.beat({ ...report, id, servers: 0, calls: 0, runs: 0 });
  for (const id of ['a', '', 'c']) {
    await expect(instances.drain(localCaller, id)).rejects.toMatchObject({
      code: 'compose.unknown_instance',
      details: { known: ['aa', 'ab'] },
    });
  }
  await timers.pass(goneAfterMs);
  await expect(instances.drain(localCaller, 'aa')).rejects.toMatchObject({
    code: 'compose.instance_gone',
  });
});

it('goes on when the store cannot be written, and logs that once', async () => {
  const warn = vi.fn();
  const { timers, store, instances, join } = anInstance({ ...silentLog, warn });
  const beat = vi.spyOn(store, 'beat').mockRejectedValue(new Error('no disk'));
  join();
  await timers.pass(5 * beatEveryMs);
  expect(warn).toHaveBeenCalledTimes(1);
  beat.mockRestore();
  await timers.pass(beatEveryMs);
  expect(await instances.list()).toHaveLength(1);
});
