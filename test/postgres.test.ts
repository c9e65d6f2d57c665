import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { postgresSkipReason } from '../testkit/store/a-postgres.ts';
import { withClient } from '../testkit/store/postgres-server.ts';
import { createSharedDatabase } from '../testkit/store/shared-postgres.ts';
import { aFolder, runTutti, startTutti, untilEnd } from './support/run-tutti.ts';

const why = postgresSkipReason === null ? '' : ` (skipped: ${postgresSkipReason})`;
const patience = { timeout: 30_000, interval: 100 };

/** Two data directories, as of two machines, and one database. */
async function twoMachines() {
  const cwd = aFolder();
  const url = await createSharedDatabase();
  const machine = (name: string) => {
    const home = join(cwd, name);
    mkdirSync(home);
    const env = { TUTTI_HOME: home, MCP_DATABASE_URL: url };
    return {
      start: (...argv: readonly string[]) => startTutti(argv, { cwd, env }),
      async tutti(...argv: readonly string[]) {
        const { exitCode, stdout, stderr } = await runTutti([...argv, '--json'], { cwd, env });
        if (!/^[[{]/.test(stdout)) throw new Error(`no JSON: ${stdout}\n${stderr}`);
        return { exitCode, json: JSON.parse(stdout) };
      },
    };
  };
  return { cwd, url, one: machine('one'), other: machine('other') };
}

const style = { tool: 'standards.get_standard', args: { language: 'python' } };

describe.skipIf(postgresSkipReason !== null)(
  `Tutti on PostgreSQL${why}`,
  { timeout: 120_000 },
  () => {
    it('goes on with a run on another machine when the first was killed, and does nothing twice', async () => {
      const { cwd, url, one, other } = await twoMachines();
      const steps = [
        { id: 'first', ...style },
        { id: 'nap', sleep: '2s', when: 'exists(${first})' },
        { id: 'last', ...style, when: 'exists(${nap})' },
      ];
      writeFileSync(join(cwd, 'p.json'), JSON.stringify({ steps }));
      const child = one.start('run', 'p.json');
      const ended = untilEnd(child);
      const shown = async (): Promise<{ runId: string; steps: Record<string, unknown> }> => {
        const { json: runs } = await other.tutti('runs', 'list');
        return (await other.tutti('runs', 'show', runs[0].runId)).json;
      };
      await vi.waitFor(async () => {
        expect((await shown()).steps['first']).toMatchObject({ status: 'succeeded' });
      }, patience);
      const before = await shown();
      child.kill('SIGKILL');
      await ended;
      const worker = other.start('worker');
      const workerEnded = untilEnd(worker);
      await vi.waitFor(async () => {
        expect(await shown()).toMatchObject({ status: 'succeeded' });
      }, patience);
      worker.kill('SIGTERM');
      expect((await workerEnded).exitCode).toBe(0);
      expect((await one.tutti('runs', 'show', before.runId)).json.steps['first']).toEqual(
        before.steps['first'],
      );
      const journal = await withClient(url, (client) =>
        client.query('SELECT entries FROM run_journal ORDER BY first'),
      );
      const keys = journal.rows
        .flatMap(({ entries }): unknown[] => JSON.parse(entries))
        .map((entry) => (Array.isArray(entry) ? entry[0] : JSON.stringify(entry)));
      expect(new Set(keys).size).toBe(keys.length);
    });

    it('takes an approval on another machine', async () => {
      const { cwd, one, other } = await twoMachines();
      const plan = { steps: [{ id: 'look', ...style, approval: { message: 'May I?' } }] };
      writeFileSync(join(cwd, 'p.json'), JSON.stringify(plan));
      const asked = await one.tutti('run', 'p.json');
      expect(asked.exitCode).toBe(4);
      const approved = await other.tutti('runs', 'approve', asked.json.runId, 'look');
      expect([approved.exitCode, approved.json.status]).toEqual([0, 'succeeded']);
    });

    it('says which database it uses, and what makes a copy of it', async () => {
      const { url, one } = await twoMachines();
      const { json } = await one.tutti('doctor');
      const check = json.find(({ name }: { name: string }) => name === 'database');
      expect(check).toMatchObject({
        status: 'ok',
        message: expect.stringMatching(/^PostgreSQL \d+\.\d+.* answers in [\d.]+ ms$/),
      });
      const refused = await one.tutti('backup', 'copy.db');
      expect(refused.json.error).toMatchObject({
        code: 'store.backup_refused',
        message: expect.stringContaining('pg_dump'),
      });
      expect(url).toContain('postgres://');
    });

    it('takes what a data directory has along, and back', async () => {
      const { cwd, one, other } = await twoMachines();
      const file = { cwd, env: { TUTTI_HOME: join(cwd, 'one') } };
      writeFileSync(join(cwd, 'p.json'), JSON.stringify({ steps: [{ id: 'a', ...style }] }));
      const run = JSON.parse((await runTutti(['run', 'p.json', '--json'], file)).stdout);
      const moved = await one.tutti('store', 'move', 'server');
      expect(moved.exitCode).toBe(0);
      expect((await one.tutti('runs', 'show', run.runId)).json.steps).toEqual(run.steps);
      // The second machine gets all of it as a file of its own.
      const back = await other.tutti('store', 'move', 'file');
      expect(back.exitCode).toBe(0);
      const copy = { cwd, env: { TUTTI_HOME: join(cwd, 'other') } };
      const { stdout } = await runTutti(['runs', 'show', run.runId, '--json'], copy);
      expect(JSON.parse(stdout).steps).toEqual(run.steps);
    });

    it('says that the server is not there', async () => {
      const cwd = aFolder();
      const env = { MCP_DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/team' };
      const { exitCode, stdout } = await runTutti(['runs', 'list', '--json'], { cwd, env });
      expect(exitCode).not.toBe(0);
      expect(JSON.parse(stdout).error).toMatchObject({ code: 'store.unavailable' });
      expect(stdout).not.toContain('secret');
    });
  },
);
