import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { protections, type SandboxRun } from '../contract/sandbox/index.ts';
import { ManualTimers, settle } from '../../testkit/fleet/manual-timers.ts';
import { silentLog } from '../kernel/index.ts';
import { defaultLimits } from './limits.ts';
import { MemoryBudget, openSandbox, type SandboxOptions } from './open-sandbox.ts';
import type { PoolOptions } from './pool/sandbox-pool.ts';
import { aRun } from '../../testkit/sandbox/a-run.ts';
import { aReport, FakeDriver, type FakeOptions } from '../../testkit/sandbox/fake-driver.ts';

const poolOptions: PoolOptions = {
  warm: true,
  maxRunning: 2,
  maxWaiting: 1,
  maxIdleMemoryBytes: 1_000_000_000,
  maxIdlePerShape: 4,
  maxIdleMs: 300_000,
  maxStarting: 2,
};

function aSandbox(drivers: readonly FakeDriver[], change: Partial<SandboxOptions> = {}) {
  const timers = new ManualTimers();
  const lines: string[] = [];
  const note = (message: string): void => void lines.push(message);
  const sandbox = openSandbox({
    drivers,
    wanted: 'auto',
    policy: 'standard',
    pool: poolOptions,
    log: { ...silentLog, info: note, warn: note },
    timers,
    cacheDirectory: null,
    homeDirectory: '/home/nobody',
    ...change,
  });
  onTestFinished(() => sandbox.close());
  return { sandbox, timers, lines };
}

function aDriver(options: FakeOptions = {}): FakeDriver {
  return new FakeDriver(options);
}

const endless = { script: () => ({ isEndless: true, stdout: 'started' }) };

describe('the sandbox', () => {
  it('runs a program, and the next one in a sandbox started in advance', async () => {
    const driver = aDriver();
    const { sandbox, timers } = aSandbox([driver]);
    const first = await sandbox.run(aRun({ stdin: 'hello' }));
    expect(first).toMatchObject({ status: 'exited', driver: 'fake', wasWarm: false });
    expect(Buffer.from(first.stdout).toString()).toBe('hello');
    await timers.pass(20);
    expect((await sandbox.run(aRun())).wasWarm).toBe(true);
    expect(sandbox.pool()).toMatchObject({ hits: 1, misses: 1, waits: 0 });
  });

  it('gives the program just the job that was asked for', async () => {
    const driver = aDriver();
    const { sandbox } = aSandbox([driver]);
    const run = aRun({ files: { 'a.txt': 'x' }, env: { A: 'b' }, stdin: 'in' });
    await sandbox.run(run);
    const { program, files, env, stdin, limits, collect } = run;
    expect(driver.prepared[0]?.jobs).toEqual([{ program, files, env, stdin, limits, collect }]);
  });

  it('probes and sweeps nothing before the first use, and both only once', async () => {
    const driver = aDriver();
    const { sandbox, lines } = aSandbox([driver]);
    expect([driver.probes, driver.sweeps]).toEqual([0, 0]);
    await Promise.all([sandbox.run(aRun()), sandbox.run(aRun())]);
    await sandbox.examine();
    expect([driver.probes, driver.sweeps]).toEqual([1, 1]);
    expect(lines).toContain('removed orphaned sandboxes');
  });

  it('starts an interpreter anew whose variables are read at its start', async () => {
    const driver = aDriver();
    const { sandbox } = aSandbox([driver]);
    const python = { kind: 'python', main: 'main.py', args: ['a'] } as const;
    const run: Partial<SandboxRun> = { toolchain: 'python', program: python };
    await sandbox.run(aRun({ ...run, env: { PYTHONHASHSEED: '0' } }));
    expect(driver.prepared[0]?.jobs[0]?.program).toEqual({
      kind: 'command',
      argv: ['/usr/bin/python', 'main.py', 'a'],
    });
    await sandbox.run(aRun({ ...run, env: { MY_OWN: '0' } }));
    expect(driver.shapes.at(-1)?.boot).toBe('python');
  });

  it('says which toolchain runs get, or what to install', async () => {
    const { sandbox } = aSandbox([aDriver()]);
    expect(await sandbox.toolchain('python')).toEqual({
      name: 'python',
      version: '1',
      program: '/usr/bin/python',
    });
    await expect(sandbox.run(aRun({ toolchain: 'cobol' }))).rejects.toMatchObject({
      code: 'sandbox.toolchain_missing',
      message: expect.stringContaining('Install gnucobol'),
    });
  });
});

describe('the choice of a driver', () => {
  it('is the first in order that satisfies the policy', async () => {
    const weak = aDriver({ name: 'weak', report: aReport('weak', { without: ['network'] }) });
    const strong = aDriver({ name: 'strong' });
    const spare = aDriver({ name: 'spare' });
    const { sandbox } = aSandbox([weak, strong, spare]);
    expect((await sandbox.run(aRun())).driver).toBe('strong');
    expect(spare.probes).toBe(0);
    expect((await sandbox.examine()).map(({ driver }) => driver)).toEqual([
      'weak',
      'strong',
      'spare',
    ]);
  });

  it.each(protections)('never falls on one that does not hold %s', async (protection) => {
    const driver = aDriver({ report: aReport('fake', { without: [protection] }) });
    const { sandbox } = aSandbox([driver]);
    await expect(sandbox.run(aRun())).rejects.toMatchObject({
      code: 'sandbox.refused_by_policy',
      message: expect.stringContaining(`fix: hold ${protection}`),
    });
    expect(driver.prepared).toEqual([]);
  });

  it('is exactly the wanted one, even where another would do', async () => {
    const weak = aDriver({ name: 'weak', report: aReport('weak', { without: ['network'] }) });
    const { sandbox } = aSandbox([aDriver({ name: 'strong' }), weak], { wanted: 'weak' });
    await expect(sandbox.run(aRun())).rejects.toMatchObject({
      code: 'sandbox.refused_by_policy',
      details: { drivers: [{ driver: 'weak', fixes: ['hold network'] }] },
    });
  });

  it('names what every driver lacks when none works', async () => {
    const report = aReport('a', {
      state: 'unavailable',
      message: 'no bwrap',
      fix: 'apt install x',
    });
    const other = aReport('b', { state: 'unavailable', message: 'no daemon' });
    const drivers = [aDriver({ name: 'a', report }), aDriver({ name: 'b', report: other })];
    const error: unknown = await aSandbox(drivers)
      .sandbox.run(aRun())
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'sandbox.unavailable' });
    expect(String(error)).toContain('a:\n  - no bwrap\n  fix: apt install x\nb:\n  - no daemon');
  });

  it('takes an unproven one only by name', async () => {
    const report = aReport('fake', { state: 'unproven' });
    await expect(aSandbox([aDriver({ report })]).sandbox.run(aRun())).rejects.toMatchObject({
      code: 'sandbox.refused_by_policy',
      message: expect.stringContaining('never proven'),
    });
    const { sandbox } = aSandbox([aDriver({ report })], { wanted: 'fake' });
    expect((await sandbox.run(aRun())).status).toBe('exited');
  });

  it('knows no driver by a name that none has', async () => {
    const { sandbox } = aSandbox([aDriver()], { wanted: 'none' });
    await expect(sandbox.run(aRun())).rejects.toMatchObject({
      code: 'sandbox.unavailable',
      message: expect.stringContaining('choose auto or one of: fake'),
    });
  });

  it('is tried again some seconds after a refusal, not at once', async () => {
    const driver = aDriver({ report: aReport('fake', { state: 'unavailable' }) });
    const { sandbox, timers } = aSandbox([driver]);
    await expect(sandbox.run(aRun())).rejects.toThrow('works on this machine');
    await expect(sandbox.run(aRun())).rejects.toThrow('works on this machine');
    expect(driver.probes).toBe(1);
    await timers.pass(6000);
    await expect(sandbox.run(aRun())).rejects.toThrow('works on this machine');
    expect(driver.probes).toBe(2);
  });
});

describe('limits and failures of the sandbox', () => {
  it('refuses a run that is none before anything starts', async () => {
    const driver = aDriver();
    const { sandbox } = aSandbox([driver]);
    await expect(sandbox.run(aRun({ files: { '../x': '' } }))).rejects.toMatchObject({
      code: 'sandbox.invalid_run',
    });
    expect(driver.prepared).toEqual([]);
  });

  it('runs so many at once, lets so many wait, and refuses the rest', async () => {
    const { sandbox } = aSandbox([aDriver(endless)]);
    const cancel = new AbortController();
    let started = 0;
    const watch = { signal: cancel.signal, onOutput: () => (started += 1) };
    await sandbox.toolchain('shell');
    const runs = [1, 2, 3].map(() => sandbox.run(aRun(), watch));
    await settle();
    await expect(sandbox.run(aRun(), watch)).rejects.toMatchObject({ code: 'sandbox.too_busy' });
    expect(started).toBe(2);
    expect(sandbox.pool().waits).toBe(1);
    cancel.abort(new Error('cancelled'));
    const [first, second, third] = await Promise.allSettled(runs);
    expect(first).toMatchObject({ value: { status: 'killed', reason: 'cancelled' } });
    expect(second).toMatchObject({ value: { status: 'killed', reason: 'cancelled' } });
    expect(third).toMatchObject({ status: 'rejected', reason: new Error('cancelled') });
  });

  it('runs programs at once only while their memory limits together fit into the machine', async () => {
    const { sandbox } = aSandbox([aDriver(endless)], { maxMemoryBytes: 700 * 2 ** 20 });
    let started = 0;
    const start = (signal: AbortSignal) =>
      sandbox.run(aRun(), { signal, onOutput: () => (started += 1) });
    await sandbox.toolchain('shell');
    const [first, second] = [new AbortController(), new AbortController()];
    const runs = [start(first.signal), start(second.signal)];
    await settle();
    expect(started).toBe(1);
    first.abort(new Error('cancelled'));
    await runs[0];
    await vi.waitUntil(() => started === 2);
    second.abort(new Error('cancelled'));
    await runs[1];
  });

  it('refuses a run that asks for more than the ceilings', async () => {
    const ceilings = { ...defaultLimits, memoryBytes: 64 * 2 ** 20 };
    const { sandbox } = aSandbox([aDriver()], { ceilings });
    await expect(sandbox.run(aRun())).rejects.toMatchObject({
      code: 'sandbox.invalid_run',
      details: { limit: 'memoryBytes', ceiling: 64 * 2 ** 20 },
    });
  });

  it('disposes of the sandbox of every run, however it ends', async () => {
    const driver = aDriver({
      script: ({ stdin }) => {
        if (stdin === 'throw') throw new Error('driver broke');
        return { exitCode: 3 };
      },
    });
    const { sandbox } = aSandbox([driver], { pool: { ...poolOptions, warm: false } });
    await sandbox.run(aRun());
    await expect(sandbox.run(aRun({ stdin: 'throw' }))).rejects.toThrow('driver broke');
    expect(driver.prepared.length).toBe(2);
    expect(driver.living).toBe(0);
  });

  it('starts nothing for a run that is cancelled before or while a driver is chosen', async () => {
    const driver = aDriver();
    const { sandbox } = aSandbox([driver]);
    const before = AbortSignal.abort(new Error('before'));
    await expect(sandbox.run(aRun(), { signal: before })).rejects.toThrow('before');
    const cancel = new AbortController();
    const run = sandbox.run(aRun(), { signal: cancel.signal });
    cancel.abort(new Error('while'));
    await expect(run).rejects.toThrow('while');
    expect(driver.prepared).toEqual([]);
  });

  it('ends what runs when it is closed, leaves nothing, and takes no more', async () => {
    const driver = aDriver(endless);
    const { sandbox } = aSandbox([driver]);
    const started = new Promise<void>((resolve) => {
      void sandbox
        .run(aRun(), { onOutput: () => resolve() })
        .then(({ reason }) => expect(reason).toBe('cancelled'));
    });
    await started;
    await sandbox.close();
    expect(driver.living).toBe(0);
    expect(driver.isClosed).toBe(true);
    await expect(sandbox.run(aRun())).rejects.toMatchObject({ code: 'sandbox.closed' });
  });

  it('does not wait for a start that hangs, and removes what comes of it too late', async () => {
    const driver = aDriver();
    const hung = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const prepare = driver.prepare.bind(driver);
    driver.prepare = async (shape) => {
      asked.resolve();
      await hung.promise;
      return prepare(shape);
    };
    const { sandbox } = aSandbox([driver], { pool: { ...poolOptions, warm: false } });
    const cancel = new AbortController();
    const run = sandbox.run(aRun(), { signal: cancel.signal });
    await asked.promise;
    cancel.abort(new Error('enough'));
    await expect(run).rejects.toThrow('enough');
    hung.resolve();
    await sandbox.close();
    expect(driver.prepared.map(({ isDisposed }) => isDisposed)).toEqual([true]);
  });

  it('closes in time though a driver hangs, and says so', async () => {
    const driver = aDriver();
    driver.sweep = () => new Promise(() => {});
    const { sandbox, timers, lines } = aSandbox([driver]);
    await sandbox.run(aRun());
    const closed = sandbox.close();
    await settle();
    await timers.pass(15_000);
    await closed;
    expect(driver.isClosed).toBe(true);
    expect(lines).toContain('sandbox did not close in time');
  });

  it('ends canaries when it is closed, and tries nothing afterwards', async () => {
    const driver = aDriver();
    const probing = Promise.withResolvers<void>();
    driver.probe = (signal?: AbortSignal) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve(aReport('fake')));
        probing.resolve();
      });
    const { sandbox } = aSandbox([driver]);
    const examined = sandbox.examine().catch((error: unknown) => error);
    await probing.promise;
    await sandbox.close();
    expect(await examined).toMatchObject({ code: 'sandbox.closed' });
    await expect(sandbox.examine()).rejects.toMatchObject({ code: 'sandbox.closed' });
    await expect(sandbox.toolchain('node')).rejects.toMatchObject({ code: 'sandbox.closed' });
  });

  it('keeps a refusal that came after its run was cancelled to itself', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const driver = aDriver({ report: aReport('fake', { without: ['network'] }) });
    const { sandbox } = aSandbox([driver]);
    const cancel = new AbortController();
    const run = sandbox.run(aRun(), { signal: cancel.signal });
    cancel.abort(new Error('gone'));
    await expect(run).rejects.toThrow('gone');
    await vi.waitUntil(() => driver.probes === 1);
    await settle();
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  it('runs all the same when leftovers cannot be removed', async () => {
    const driver = aDriver();
    driver.sweep = () => Promise.reject(new Error('no permission'));
    const { sandbox, lines } = aSandbox([driver]);
    expect((await sandbox.run(aRun())).status).toBe('exited');
    await settle();
    expect(lines).toEqual(['failed to remove orphaned sandboxes']);
  });
});

const { signal } = new AbortController();

describe('memory for programs that run at once', () => {
  it('is never given away twice, and who waits longest is served first', async () => {
    const budget = new MemoryBudget(100);
    const order: string[] = [];
    const take = async (name: string, bytes: number): Promise<() => void> => {
      const giveBack = await budget.take(bytes, signal);
      order.push(name);
      return giveBack;
    };
    const first = await take('first', 60);
    const second = take('second', 80);
    const third = take('third', 10);
    await settle();
    expect(order).toEqual(['first']);
    first();
    await Promise.all([second, third]);
    expect(order).toEqual(['first', 'second', 'third']);
  });

  it('is not held up by who gave up waiting', async () => {
    const budget = new MemoryBudget(100);
    await budget.take(60, signal);
    const cancel = new AbortController();
    const large = budget.take(90, cancel.signal);
    const small = budget.take(40, signal);
    cancel.abort(new Error('gave up'));
    await expect(large).rejects.toThrow('gave up');
    await small;
    await expect(budget.take(1, AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  });

  it('is given as a whole to who wants more than there is', async () => {
    expect(await new MemoryBudget(100).take(500, signal)).toBeTypeOf('function');
  });
});
