import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openScene, skipReason } from './support/restate/open-scene.ts';
import { aFolder, runTutti, startTutti } from './support/run-tutti.ts';

const why = skipReason === null ? '' : ` (skipped: ${skipReason})`;
const root = new URL('..', import.meta.url).pathname;

/** A folder with what the example plan looks at. */
function anExample(): string {
  const cwd = aFolder();
  mkdirSync(join(cwd, 'examples'));
  const plan = 'examples/review-and-test.plan.yaml';
  copyFileSync(join(root, plan), join(cwd, plan));
  for (const project of ['examples/sample-project', 'examples/sample-python']) {
    cpSync(join(root, project), join(cwd, project), { recursive: true });
  }
  return cwd;
}

// `make test` installs the server of Restate; `npm test` alone does without.
describe.skipIf(skipReason !== null)(`tutti run --engine restate${why}`, () => {
  it(
    'has a worker of another process run the example plan, and says what it came to',
    { timeout: 180_000 },
    async () => {
      const scene = await openScene();
      onTestFinished(() => scene.close());
      const cwd = anExample();
      const env = {
        TUTTI_WORKFLOW_RESTATE_INGRESS_URL: scene.server.ingressUrl,
        TUTTI_WORKFLOW_RESTATE_ADMIN_URL: scene.server.adminUrl,
        TUTTI_WORKFLOW_RESTATE_IDENTITY_KEY: scene.server.identityKey,
        TUTTI_WORKFLOW_RESTATE_WORKER_PORT: '0',
      };
      const worker = startTutti(['worker', '--engine', 'restate'], { cwd, env });
      const ready = await new Promise<string>((resolve) => {
        worker.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
      });
      expect(ready).toMatch(/^executing runs on the restate engine, reached at http:/);

      const plan = 'examples/review-and-test.plan.yaml';
      const ended = await runTutti(['run', plan, '--engine', 'restate', '--json'], { cwd, env });
      expect(ended.stderr).not.toContain('error');
      const run = JSON.parse(ended.stdout) as { status: string; engine: string; output: object };
      expect(run).toMatchObject({ status: 'succeeded', engine: 'restate' });
      expect(run.output).toHaveProperty('score');
      expect(ended.exitCode).toBe(0);

      const doctor = await runTutti(['doctor', '--set', 'workflow.engine=restate'], { cwd, env });
      expect(doctor.stdout).toMatch(/^ok +restate: Restate 1\..* workers answer at http:/m);
      worker.kill('SIGTERM');
    },
  );

  it('says what to do where there is no Restate, and stores nothing', async () => {
    const cwd = anExample();
    const env = { TUTTI_WORKFLOW_RESTATE_INGRESS_URL: 'http://127.0.0.1:9' };
    const plan = 'examples/review-and-test.plan.yaml';
    const ended = await runTutti(['run', plan, '--engine', 'restate', '--json'], { cwd, env });
    expect(ended.exitCode).toBe(1);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      error: { code: 'workflow.restate_unreachable' },
    });
    const { stdout } = await runTutti(['runs', 'list', '--json'], { cwd });
    expect(JSON.parse(stdout)).toEqual([]);
  });
});
