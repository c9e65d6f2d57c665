import { copyFileSync, existsSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { aFolder, runTutti, startTutti, untilEnd, type Ended } from './support/run-tutti.ts';

const limitMs = 60_000;

interface Killed {
  readonly cwd: string;
  readonly runId: string;
  readonly database: string;
}

/** A folder whose program was killed while a run slept: what it stored lies in the log of the database. */
async function aKilledRun(): Promise<Killed> {
  const cwd = aFolder();
  const plan = join(cwd, 'a.plan.yaml');
  writeFileSync(plan, 'steps: [{ id: a, sleep: 60s }]\n');
  const child = startTutti(['run', plan, '--json'], { cwd });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  // With --json, too, the id is said as soon as the run is stored.
  await vi.waitUntil(() => /^Run \S+$/m.test(said), { timeout: limitMs });
  const [, runId = ''] = /^Run (\S+)$/m.exec(said) ?? [];
  child.kill('SIGKILL');
  await untilEnd(child);
  return { cwd, runId, database: join(cwd, 'data', 'tutti.db') };
}

function runs(cwd: string, ...argv: readonly string[]): Promise<Ended> {
  return runTutti(['runs', ...argv], { cwd });
}

describe('a database that lost what was stored', () => {
  it.each<[string, (database: string) => void]>([
    ['its log was deleted', (database) => rmSync(`${database}-wal`)],
    ['its log was emptied', (database) => truncateSync(`${database}-wal`)],
    [
      'its log was cut',
      (database) => truncateSync(`${database}-wal`, statSync(`${database}-wal`).size / 2),
    ],
    ['it was emptied', (database) => truncateSync(database)],
    ['it was deleted', (database) => rmSync(database)],
    [
      'it was replaced by an empty one',
      (database) => {
        for (const suffix of ['', '-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true });
        writeFileSync(database, '');
      },
    ],
  ])('is named by runs and doctor when %s', { timeout: limitMs }, async (_how, damage) => {
    const { cwd, runId, database } = await aKilledRun();
    damage(database);
    for (const argv of [[], ['show', runId], ['resume', runId]]) {
      const { exitCode, stderr } = await runs(cwd, ...argv);
      expect({ argv, exitCode }).toEqual({ argv, exitCode: 1 });
      expect(stderr).toContain('has lost writes');
      expect(stderr).toContain(`run ${runId}`);
    }
    const doctor = await runTutti(['doctor', '--json'], { cwd });
    const checks = JSON.parse(doctor.stdout) as { name: string; status: string; message: string }[];
    expect(checks.find(({ name }) => name === 'database')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('has lost writes') as string,
    });
    rmSync(`${database}-last`);
    const left = await runs(cwd, '--json');
    expect([left.exitCode, left.stdout]).toEqual([0, '[]\n']);
  });

  it(
    'is not one that was copied, checkpointed or has removed old runs',
    { timeout: limitMs },
    async () => {
      const { cwd, runId, database } = await aKilledRun();
      const copy = join(cwd, 'copy.db');
      await runTutti(['backup', copy], { cwd });
      const cancelled = await runs(cwd, 'cancel', runId);
      expect(cancelled.exitCode).toBe(0);
      expect(existsSync(`${database}-last`)).toBe(true);
      expect((await runs(cwd, 'show', runId)).exitCode).toBe(0);
      for (const suffix of ['', '-wal', '-shm', '-last']) {
        rmSync(`${database}${suffix}`, { force: true });
      }
      copyFileSync(copy, database);
      expect((await runs(cwd, 'show', runId)).exitCode).toBe(0);
    },
  );
});
