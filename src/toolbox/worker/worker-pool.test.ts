import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { isProof } from '../../../testkit/sample.ts';
import { aCallContext } from '../../../testkit/toolbox/call-context.ts';
import { WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

const pools: WorkerPool[] = [];

function aPool(options: Partial<WorkerPoolOptions> = {}): WorkerPool {
  const pool = new WorkerPool({
    entry: new URL('../../../testkit/toolbox/slow-worker.ts', import.meta.url),
    data: {},
    maxWorkers: 1,
    maxWaiting: 4,
    maxHeapMb: 128,
    cancelGraceMs: 100,
    idleStopMs: 60_000,
    ...options,
  });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

it('returns what the tool returned, and its progress on the way', async () => {
  const updates: unknown[] = [];
  const context = aCallContext({ progress: (update) => updates.push(update) });
  const result = await aPool().call('echo', { a: 1 }, context);
  expect(result.structuredContent).toEqual({ value: { a: 1 } });
  expect(updates).toEqual([{ progress: 1, total: 2 }]);
});

it('uses a worker again for the next call', async () => {
  const pool = aPool();
  const results = [];
  for (let i = 0; i < 20; i += 1) results.push(await pool.call('echo', { i }, aCallContext()));
  expect(results.map((result) => result.structuredContent)).toEqual(
    results.map((_result, i) => ({ value: { i } })),
  );
});

it('stops a call that never pauses when it is cancelled, and answers the next one', async () => {
  const pool = aPool();
  const cancel = new AbortController();
  const call = pool.call(
    'spin',
    {},
    aCallContext({ signal: cancel.signal, progress: () => cancel.abort(new Error('enough')) }),
  );
  await expect(call).rejects.toThrow('enough');
  const next = await pool.call('echo', { alive: true }, aCallContext());
  expect(next.structuredContent).toEqual({ value: { alive: true } });
});

it('keeps the worker of a call that ends by itself when it is cancelled', async () => {
  const pool = aPool({ cancelGraceMs: 60_000 });
  const cancel = new AbortController();
  const call = pool.call(
    'wait',
    {},
    aCallContext({ signal: cancel.signal, progress: () => cancel.abort(new Error('enough')) }),
  );
  await expect(call).rejects.toThrow('enough');
  const next = await pool.call('echo', {}, aCallContext());
  expect(next.isError).toBeUndefined();
});

it('survives a tool that uses all the memory it may, and says so', async () => {
  const pool = aPool();
  await expect(pool.call('hoard', {}, aCallContext())).rejects.toMatchObject({
    code: 'toolbox.worker_died',
    message: expect.stringContaining('memory limit 128 MB'),
  });
  const next = await pool.call('echo', {}, aCallContext());
  expect(next.isError).toBeUndefined();
});

it('survives a tool that ends its thread', async () => {
  const pool = aPool();
  await expect(pool.call('crash', {}, aCallContext())).rejects.toMatchObject({
    code: 'toolbox.worker_died',
    message: expect.not.stringContaining('memory'),
  });
  expect((await pool.call('echo', {}, aCallContext())).isError).toBeUndefined();
});

// What they hang in is made by mkfifo.
it.skipIf(process.platform === 'win32')(
  'waits for no thread that hangs in a call of the system, and lets few of them hang',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'worker-pool-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const pool = aPool({ stopLimitMs: 100 });
    const hang = async (): Promise<void> => {
      const cancel = new AbortController();
      const progress = (): void => cancel.abort(new Error('enough'));
      await pool.call('read', { path }, aCallContext({ signal: cancel.signal, progress }));
    };
    await expect(hang()).rejects.toThrow('enough');
    expect((await pool.call('echo', {}, aCallContext())).isError).toBeUndefined();
    await expect(hang()).rejects.toThrow('enough');
    await expect(pool.call('echo', {}, aCallContext())).rejects.toMatchObject({
      code: 'toolbox.worker_died',
      message: expect.stringContaining('hang in the system'),
    });
    await pool.close();
    writeFileSync(path, '');
  },
);

it('tells a caller to come back when too many wait', async () => {
  const pool = aPool({ maxWaiting: 1 });
  const cancel = new AbortController();
  const busy = aCallContext({ signal: cancel.signal });
  const accepted = Promise.allSettled([pool.call('wait', {}, busy), pool.call('wait', {}, busy)]);
  await expect(pool.call('echo', {}, aCallContext())).rejects.toMatchObject({
    code: 'kernel.too_busy',
  });
  cancel.abort(new Error('done'));
  expect((await accepted).map((it) => it.status)).toEqual(['rejected', 'rejected']);
});

it('stops a worker that had nothing to do for a while', async () => {
  const pool = aPool({ idleStopMs: 1 });
  await pool.call('echo', {}, aCallContext());
  expect((await pool.call('echo', { again: true }, aCallContext())).structuredContent).toEqual({
    value: { again: true },
  });
});

it('gives no call to a worker that is being stopped for idleness', async () => {
  const pool = aPool({ idleStopMs: 1 });
  for (let round = 0; round < (isProof ? 10 : 4); round += 1) {
    const result = await pool.call('echo', { round }, aCallContext());
    expect(result.structuredContent).toEqual({ value: { round } });
    // Fires right after the pool's timer, before the worker has ended.
    await setTimeout(1);
  }
});

it('starts nothing once it is closed, and tells running, waiting and new calls why', async () => {
  const pool = aPool();
  const started = Promise.withResolvers<void>();
  const running = pool.call('wait', {}, aCallContext({ progress: () => started.resolve() }));
  const before = Promise.allSettled([running, pool.call('echo', {}, aCallContext())]);
  await started.promise;
  await pool.close();
  const after = Promise.allSettled([pool.call('echo', {}, aCallContext())]);
  const refused = {
    status: 'rejected',
    reason: {
      code: 'toolbox.worker_died',
      message: expect.stringContaining('the server is stopping'),
    },
  };
  expect(await before).toMatchObject([refused, refused]);
  expect(await after).toMatchObject([refused]);
});

describe('a call that goes through items', () => {
  const tools = new Set(['items']);
  const call = (items: readonly string[], maxSlowItems = 2) =>
    aPool({ items: { tools, maxItemMs: 300, maxSlowItems } }).call(
      'items',
      { items },
      aCallContext({ meta: { 'tutti/slowItems': ['a'] } }),
    );

  it('leaves out those that take too long, and nothing that the caller names', async () => {
    const { structuredContent } = await call(['a', 'slow 1', 'b', 'slow 2', 'c']);
    expect(structuredContent).toEqual({ done: ['a', 'b', 'c'], left: ['slow 1', 'slow 2'] });
  });

  it('fails when there are too many of them', async () => {
    await expect(call(['a', 'slow 1', 'slow 2', 'b'], 1)).rejects.toThrow(
      'it took longer than 300 ms for slow 2',
    );
  });
});
