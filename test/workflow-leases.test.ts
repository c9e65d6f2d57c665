import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localCaller } from '../src/contract/caller/index.ts';
import { aDirectory } from '../testkit/observe/a-directory.ts';
import type { Store } from '../src/store/index.ts';
import { postgresSkipReason } from '../testkit/store/a-postgres.ts';
import { startPostgresServer, withClient } from '../testkit/store/postgres-server.ts';
import { createSharedDatabase } from '../testkit/store/shared-postgres.ts';
import { aStore } from '../testkit/store/a-store.ts';
import { aNewRun } from '../testkit/workflow/a-run.ts';
import { isProof, seededRandom } from '../testkit/sample.ts';

const program = fileURLToPath(new URL('support/execute-runs.ts', import.meta.url));
const runCount = 50;
/** As many runs as a worker executes at once. */
const runsAtOnce = 10;
const pollMs = 20;
/** Far more than a write takes. */
const maxWriteMs = 2_000;
const maxFreezes = 10;
const maxWaitMs = 60_000;

interface Scene {
  readonly home: string;
  /** Of PostgreSQL; undefined where the database is a file. */
  readonly databaseUrl: string | undefined;
  readonly store: Store;
  readonly logFile: string;
  readonly stepCount: number;
  readonly stepMs: number;
}

/** One line of the log: an execution of a step that began or ended, or what was done to a process. */
interface LogLine {
  readonly what: string;
  readonly pid: number;
  readonly runId: string;
  readonly key: string;
}

type Steps = Pick<Scene, 'stepCount' | 'stepMs'>;

async function sceneOn(databaseUrl: string | undefined, steps: Steps): Promise<Scene> {
  const home = aDirectory();
  const store = aStore({ home, databaseUrl });
  for (let place = 0; place < runCount; place += 1) {
    const runId = `run-${String(place).padStart(3, '0')}`;
    const run = aNewRun({ runId, createdAtMs: Date.now(), input: { steps: steps.stepCount } });
    await store.runs.create({ ...run, durability: 'normal' });
  }
  const logFile = join(home, 'executions.log');
  appendFileSync(logFile, '');
  return { home, databaseUrl, store, logFile, ...steps };
}

async function startWorker({ home, databaseUrl, logFile, stepMs }: Scene): Promise<ChildProcess> {
  const database = databaseUrl === undefined ? {} : { MCP_DATABASE_URL: databaseUrl };
  const env = { ...process.env, ...database, STEP_MS: String(stepMs) };
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const worker = spawn(process.execPath, [program, home, logFile], { env, stdio: [...stdio] });
  onTestFinished(() => void worker.kill('SIGKILL'));
  if (worker.stdout) await once(worker.stdout, 'data');
  return worker;
}

async function stop(worker: ChildProcess): Promise<unknown> {
  worker.kill('SIGTERM');
  const [code] = await once(worker, 'exit');
  return code;
}

function readLog({ logFile }: Scene): LogLine[] {
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [what = '', pid = '', runId = '', key = ''] = line.split(' ');
      return { what, pid: Number(pid), runId, key };
    });
}

async function until(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  const endMs = Date.now() + maxWaitMs;
  while (!(await isTrue())) {
    if (Date.now() > endMs) throw new Error('it did not come true in time');
    await sleep(pollMs);
  }
}

async function allEnded({ store }: Scene): Promise<boolean> {
  const runs = await store.runs.list(localCaller, { limit: 1_000, status: ['succeeded'] });
  return runs.length === runCount;
}

/** Every run came to its end, and each of its steps has one result. */
async function expectComplete({ store, stepCount }: Scene): Promise<void> {
  const keys = Array.from({ length: stepCount }, (_, place) => `s${place + 1}#1`);
  for (const { runId } of await store.runs.list(localCaller, { limit: 1_000 })) {
    const entries = await store.runs.journal(runId);
    const settled = entries.filter((entry) => entry.kind === 'settled');
    expect(settled.map(({ key }) => key)).toEqual(keys);
  }
  expect(store.checkIntegrity()).toEqual({ ok: true, findings: [] });
}

/** A step is executed again only because of what was done to the process that had it. */
function expectNoNeedlessRepeat(scene: Scene, disturbed: ReadonlySet<number>): void {
  const executions = new Map<string, number[]>();
  for (const { what, pid, runId, key } of readLog(scene)) {
    if (what !== 'begin') continue;
    const step = `${runId} ${key}`;
    executions.set(step, [...(executions.get(step) ?? []), pid]);
  }
  expect(executions.size).toBe(runCount * scene.stepCount);
  for (const [step, pids] of executions) {
    const needless = pids.slice(0, -1).filter((pid) => !disturbed.has(pid));
    expect(needless, `${step} was executed by ${pids.join(', ')}`).toEqual([]);
  }
}

const why = postgresSkipReason === null ? '' : ` (skipped: ${postgresSkipReason})`;

describe('several processes that resume the runs of one data directory', () => {
  testWorkers((steps) => sceneOn(undefined, steps));
});

describe.skipIf(postgresSkipReason !== null)(
  `several processes that resume the runs of one PostgreSQL database${why}`,
  () => {
    testWorkers(async (steps) => sceneOn(await createSharedDatabase(), steps));

    it('go on when the server is killed and started again, and keep every result once', async () => {
      const folder = aDirectory();
      // PostgreSQL runs as another user where the tests run as root.
      chmodSync(folder, 0o755);
      const server = await startPostgresServer(folder);
      onTestFinished(() => server.kill());
      const scene = await sceneOn(server.url('postgres'), { stepCount: 8, stepMs: 40 });
      const workers = await Promise.all([1, 2].map(() => startWorker(scene)));
      for (let round = 0; round < (isProof ? 20 : 3); round += 1) {
        const begun = readLog(scene).length;
        await until(() => readLog(scene).length > begun + 120 || allBegun(scene));
        await server.kill();
        await server.start();
      }
      await until(() => allEnded(scene));
      expect(await Promise.all(workers.map(stop))).toEqual([0, 0]);
      await expectComplete(scene);
    });
  },
);

function allBegun(scene: Scene): boolean {
  return readLog(scene).length >= 2 * runCount * scene.stepCount;
}

function testWorkers(aScene: (steps: Steps) => Promise<Scene>): void {
  it('execute each run in exactly one of them, and each step once', async () => {
    // Long enough for all of them to start before one alone is done.
    const scene = await aScene({ stepCount: 8, stepMs: 60 });
    const workers = await Promise.all([1, 2, 3].map(() => startWorker(scene)));
    await until(() => allEnded(scene));
    expect(await Promise.all(workers.map(stop))).toEqual([0, 0, 0]);
    await expectComplete(scene);
    const lines = readLog(scene);
    expectNoNeedlessRepeat(scene, new Set());
    expect(lines).toHaveLength(2 * runCount * scene.stepCount);
    const processesOfRun = new Map<string, Set<number>>();
    for (const { runId, pid } of lines) {
      processesOfRun.set(runId, (processesOfRun.get(runId) ?? new Set()).add(pid));
    }
    for (const [runId, pids] of processesOfRun) expect([runId, pids.size]).toEqual([runId, 1]);
    expect(new Set(lines.map(({ pid }) => pid)).size).toBeGreaterThan(1);
  });

  it('go on with the runs of those that are killed, without waiting for their leases', async () => {
    const scene = await aScene({ stepCount: 8, stepMs: 40 });
    const random = seededRandom(11);
    const workers = await Promise.all([1, 2, 3].map(() => startWorker(scene)));
    const killed = new Set<number>();
    for (let round = 0; round < (isProof ? 20 : 4); round += 1) {
      const begun = readLog(scene).length;
      await until(async () => readLog(scene).length > begun + 60 || (await allEnded(scene)));
      const [victim] = workers.splice(Math.floor(random() * workers.length), 1);
      if (!victim?.pid) continue;
      killed.add(victim.pid);
      victim.kill('SIGKILL');
      workers.push(await startWorker(scene));
    }
    await until(() => allEnded(scene));
    expect(await Promise.all(workers.map(stop))).toEqual([0, 0, 0]);
    await expectComplete(scene);
    expectNoNeedlessRepeat(scene, killed);
  });

  it('take over from one that stands still, which begins nothing of theirs when it goes on', async () => {
    const scene = await aScene({ stepCount: 3, stepMs: 300 });
    const { frozen, other } = await freezeOne(scene);
    await until(() => allEnded(scene));
    const before = readLog(scene);
    frozen.kill('SIGCONT');
    // What was under way comes to its end, in vain, before the process does.
    expect(await Promise.all([frozen, other].map(stop))).toEqual([0, 0]);
    const later = readLog(scene).slice(before.length);
    expect(later.filter(({ what }) => what === 'begin')).toEqual([]);
    await expectComplete(scene);
    expectNoNeedlessRepeat(scene, new Set([frozen.pid ?? 0]));
  });

  it('go on with what they took over while the one that stood still works again', async () => {
    const scene = await aScene({ stepCount: 3, stepMs: 300 });
    const { frozen, other } = await freezeOne(scene);
    const held = new Set(
      readLog(scene)
        .filter(({ pid }) => pid === frozen.pid)
        .map(({ runId }) => runId),
    );
    const taken = (): Set<string> => {
      const begun = readLog(scene).filter(({ what, pid }) => what === 'begin' && pid === other.pid);
      return new Set(begun.map(({ runId }) => runId).filter((runId) => held.has(runId)));
    };
    await until(() => taken().size > 0);
    const theirs = taken();
    const mark = readLog(scene).length;
    frozen.kill('SIGCONT');
    await until(() => allEnded(scene));
    expect(await Promise.all([frozen, other].map(stop))).toEqual([0, 0]);
    const stolen = readLog(scene)
      .slice(mark)
      .filter(
        ({ what, pid, runId }) => what === 'begin' && pid === frozen.pid && theirs.has(runId),
      );
    expect(stolen).toEqual([]);
    await expectComplete(scene);
    expectNoNeedlessRepeat(scene, new Set([frozen.pid ?? 0]));
  });
}

/**
 * Two workers, of which one is stopped while it waits for the steps it has begun. Stopped in the moment
 * between looking at its lease and writing that it begins, it would rightly write that afterwards.
 */
async function freezeOne(scene: Scene): Promise<{ frozen: ChildProcess; other: ChildProcess }> {
  const [frozen, other] = await Promise.all([1, 2].map(() => startWorker(scene)));
  if (!frozen || !other) throw new Error('the workers did not start');
  await until(() => {
    const begun = readLog(scene).filter(({ what, pid }) => what === 'begin' && pid === frozen.pid);
    return begun.length >= runsAtOnce;
  });
  frozen.kill('SIGSTOP');
  for (let attempt = 0; !(await canWrite(scene)); attempt += 1) {
    if (attempt === maxFreezes) throw new Error('the worker was never stopped outside a write');
    frozen.kill('SIGCONT');
    await sleep(pollMs);
    frozen.kill('SIGSTOP');
  }
  return { frozen, other };
}

/** Whether nobody stands still in the middle of a write: everybody else would wait for them for ever. */
async function canWrite({ store, databaseUrl }: Scene): Promise<boolean> {
  if (databaseUrl !== undefined) return !(await isInTransaction(databaseUrl));
  const database = new DatabaseSync(store.path, { timeout: maxWriteMs });
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

function isInTransaction(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rows } = await client.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
    );
    return rows.length > 0;
  });
}
