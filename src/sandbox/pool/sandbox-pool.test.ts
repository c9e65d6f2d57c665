import { describe, expect, it } from 'vitest';
import { ManualTimers } from '../../../testkit/fleet/manual-timers.ts';
import { silentLog } from '../../kernel/index.ts';
import type { SandboxShape } from '../driver.ts';
import { defaultLimits } from '../limits.ts';
import { aToolchain, FakeDriver, type FakeOptions } from '../../../testkit/sandbox/fake-driver.ts';
import { SandboxPool, type PoolOptions } from './sandbox-pool.ts';

const never = new AbortController().signal;
const options: PoolOptions = {
  warm: true,
  maxRunning: 8,
  maxWaiting: 8,
  maxIdleMemoryBytes: 1_000_000_000,
  maxIdlePerShape: 8,
  maxIdleMs: 300_000,
  maxStarting: 2,
};

function aPool(change: Partial<PoolOptions> = {}, fake: FakeOptions = {}) {
  const driver = new FakeDriver(fake);
  const timers = new ManualTimers();
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  const prepare = driver.prepare.bind(driver);
  const pool = new SandboxPool({ options: { ...options, ...change }, timers, log, prepare });
  /** As long as it takes until sandboxes are started in advance. */
  const rest = (): Promise<void> => timers.pass(20);
  return { driver, timers, warnings, pool, rest };
}

function aShape(name = 'python', change: Partial<SandboxShape> = {}): SandboxShape {
  const toolchain = aToolchain(name);
  return { toolchain, boot: 'command', mounts: [], limits: defaultLimits, ...change };
}

describe('the pool', () => {
  it('starts a sandbox in advance once its shape was used, and gives it to the next run', async () => {
    const { pool, driver, rest } = aPool();
    expect((await pool.take(aShape(), never)).wasWarm).toBe(false);
    await rest();
    expect(pool.report()).toEqual({ idle: { 'python/command': 1 }, hits: 0, misses: 1 });
    const { sandbox, wasWarm } = await pool.take(aShape(), never);
    expect(wasWarm).toBe(true);
    expect(sandbox).toBe(driver.prepared[1]);
    await rest();
    expect(pool.report()).toEqual({ idle: { 'python/command': 1 }, hits: 1, misses: 1 });
  });

  it('gives every sandbox out once', async () => {
    const { pool, rest } = aPool();
    const taken = [];
    for (let run = 0; run < 20; run += 1) {
      taken.push((await pool.take(aShape(), never)).sandbox);
      await rest();
    }
    expect(new Set(taken).size).toBe(20);
  });

  it('starts nothing in advance when it is not to', async () => {
    const { pool, driver, rest } = aPool({ warm: false });
    await pool.take(aShape(), never);
    await pool.take(aShape(), never);
    await rest();
    expect(driver.prepared.length).toBe(2);
    expect(pool.report()).toEqual({ idle: {}, hits: 0, misses: 2 });
  });

  it('keeps more when runs come together, and fewer again when nobody needs them', async () => {
    const { pool, timers, driver, rest } = aPool();
    await Promise.all(Array.from({ length: 6 }, () => pool.take(aShape(), never)));
    await rest();
    expect(pool.report().idle).toEqual({ 'python/command': 8 });
    await timers.pass(61_000);
    expect(pool.report().idle).toEqual({ 'python/command': 3 });
    await timers.pass(60_000);
    expect(pool.report().idle).toEqual({ 'python/command': 1 });
    await timers.pass(300_000);
    expect(pool.report().idle).toEqual({});
    expect(driver.living).toBe(6);
  });

  it('keeps as many as one run after the other needs', async () => {
    const { pool, timers } = aPool();
    await Promise.all(Array.from({ length: 6 }, () => pool.take(aShape(), never)));
    for (let round = 0; round < 8; round += 1) {
      await timers.pass(30_000);
      await pool.take(aShape(), never);
    }
    await timers.pass(30_000);
    expect(pool.report().idle['python/command']).toBeLessThanOrEqual(2);
    expect(pool.report().hits).toBe(8);
  });

  it('keeps shapes apart that differ in toolchain, mounts, disk or open files', async () => {
    const { pool, rest } = aPool();
    await pool.take(aShape(), never);
    await rest();
    const others = [
      aShape('node'),
      aShape('python', { boot: 'python' }),
      aShape('python', { mounts: [{ source: '/a', target: '/work/a' }] }),
      aShape('python', { limits: { ...defaultLimits, diskBytes: 1_000_000 } }),
      aShape('python', { limits: { ...defaultLimits, openFiles: 99 } }),
    ];
    for (const other of others) expect((await pool.take(other, never)).wasWarm).toBe(false);
    const more = aShape('python', { limits: { ...defaultLimits, memoryBytes: 99_000_000 } });
    expect((await pool.take(more, never)).wasWarm).toBe(true);
  });

  it('starts anew where the idle one does not take the limits, and replaces that', async () => {
    const { pool, driver, rest } = aPool(
      {},
      { accepts: (limits, shape) => limits === shape.limits },
    );
    await pool.take(aShape(), never);
    await rest();
    const limits = { ...defaultLimits, memoryBytes: 99_000_000 };
    expect((await pool.take(aShape('python', { limits }), never)).wasWarm).toBe(false);
    await rest();
    expect(driver.prepared[1]?.isDisposed).toBe(true);
    expect(driver.shapes.at(-1)?.limits).toEqual(limits);
  });

  it('lets a run have the one that starts already, instead of starting another', async () => {
    const { pool, driver, rest } = aPool();
    await pool.take(aShape(), never);
    await rest();
    driver.held = [];
    await pool.take(aShape(), never);
    await rest();
    expect(driver.held.length).toBe(1);
    const taken = pool.take(aShape(), never);
    driver.release();
    expect(await taken).toEqual({ sandbox: driver.prepared.at(-1), wasWarm: true });
  });

  it('lets a run go that is cancelled while it waits for a start', async () => {
    const { pool, driver, rest } = aPool();
    await pool.take(aShape(), never);
    await rest();
    driver.held = [];
    await pool.take(aShape(), never);
    await rest();
    const cancel = new AbortController();
    const taken = pool.take(aShape(), cancel.signal);
    cancel.abort(new Error('cancelled'));
    await expect(taken).rejects.toThrow('cancelled');
    driver.held.splice(0).forEach((release) => release());
    driver.held = null;
    await rest();
    expect(pool.report().idle).toEqual({ 'python/command': 2 });
  });
});

describe('limits of the pool', () => {
  it('starts only so many in advance at once', async () => {
    const { pool, driver, rest } = aPool();
    await Promise.all(Array.from({ length: 6 }, () => pool.take(aShape(), never)));
    driver.held = [];
    await rest();
    expect(driver.held.length).toBe(2);
    driver.release();
    await rest();
    expect(driver.held.length).toBe(2);
  });

  it('stays within its memory, and gives the place to the shape used last', async () => {
    const { pool, rest } = aPool({ maxIdleMemoryBytes: 50_000_000 });
    await Promise.all(Array.from({ length: 6 }, () => pool.take(aShape(), never)));
    await rest();
    expect(pool.report().idle).toEqual({ 'python/command': 5 });
    await pool.take(aShape('node'), never);
    await rest();
    const { idle } = pool.report();
    expect(idle['node/command']).toBe(1);
    expect((idle['python/command'] ?? 0) + 1).toBeLessThanOrEqual(5);
  });

  it('forgets the shape not used for longest when there are many', async () => {
    const { pool, driver, rest } = aPool();
    for (let index = 0; index < 40; index += 1) {
      await pool.take(aShape(`tool-${index}`), never);
      await rest();
    }
    expect(Object.keys(pool.report().idle).length).toBeLessThanOrEqual(32);
    expect(driver.living).toBeLessThanOrEqual(40 + 32);
  });

  it('replaces one that waited too long', async () => {
    const { pool, driver, timers, rest } = aPool({ maxIdleMs: 50_000 });
    await pool.take(aShape(), never);
    await rest();
    await timers.pass(25_000);
    await pool.take(aShape(), never);
    await rest();
    const waiting = driver.prepared.at(-1);
    await timers.pass(40_000);
    await pool.take(aShape('node'), never);
    expect(waiting?.isDisposed).toBe(false);
    await timers.pass(31_000);
    expect(waiting?.isDisposed).toBe(true);
  });
});

describe('failures in the pool', () => {
  it('drops one that died while it waited', async () => {
    const { pool, driver, rest } = aPool();
    await pool.take(aShape(), never);
    await rest();
    const dead = driver.prepared[1];
    if (dead) dead.isDead = true;
    const { sandbox } = await pool.take(aShape(), never);
    expect(sandbox).not.toBe(dead);
    expect(dead?.isDisposed).toBe(true);
  });

  it('waits after a failed start, longer each time, and tells the run its own failure', async () => {
    const { pool, driver, timers, warnings, rest } = aPool();
    await pool.take(aShape(), never);
    await rest();
    driver.failure = 'no memory';
    await pool.take(aShape(), never);
    await rest();
    expect(warnings.length).toBe(1);
    await timers.pass(900);
    expect(warnings.length).toBe(1);
    await timers.pass(200);
    expect(warnings.length).toBe(2);
    await timers.pass(1500);
    expect(warnings.length).toBe(2);
    await timers.pass(600);
    expect(warnings.length).toBe(3);
    await expect(pool.take(aShape(), never)).rejects.toMatchObject({ code: 'sandbox.not_started' });
    driver.failure = undefined;
    await timers.pass(60_000);
    expect(pool.report().idle['python/command']).toBeGreaterThan(0);
  });

  it('starts its own for a run whose awaited start failed', async () => {
    const { pool, driver, rest } = aPool();
    await pool.take(aShape(), never);
    await rest();
    driver.held = [];
    await pool.take(aShape(), never);
    await rest();
    const taken = pool.take(aShape(), never);
    driver.failure = 'once';
    driver.release();
    driver.held = null;
    await expect(taken).rejects.toThrow('once');
    driver.failure = undefined;
    expect((await pool.take(aShape(), never)).wasWarm).toBe(false);
  });

  it('leaves nothing when it is closed, not even what was still starting', async () => {
    const { pool, driver, rest } = aPool();
    const { sandbox } = await pool.take(aShape(), never);
    await rest();
    driver.held = [];
    await pool.take(aShape(), never).then((taken) => taken.sandbox.dispose());
    await rest();
    const closed = pool.close();
    driver.release();
    await closed;
    await sandbox.dispose();
    expect(driver.living).toBe(0);
    expect(pool.report().idle).toEqual({});
  });
});

describe('a shape that is forgotten while its start is to be tried again', () => {
  it('leaves no timer behind', async () => {
    const { pool, driver, timers } = aPool({ maxIdleMs: 1_000 });
    const pending = new Set<object>();
    const after = timers.after.bind(timers);
    timers.after = (delayMs, run) => {
      const timer = {};
      pending.add(timer);
      const cancel = after(delayMs, () => {
        pending.delete(timer);
        run();
      });
      return () => {
        pending.delete(timer);
        cancel();
      };
    };
    await pool.take(aShape(), never);
    driver.failure = 'no memory';
    await timers.pass(29_000);
    expect(pending.size).toBe(1);
    // The end of the round finds it unused; the next try would be at 31 s.
    await timers.pass(2_000);
    expect(pending.size).toBe(0);
  });
});
