import { expect, it } from 'vitest';
import { fakeInstance } from '../../../testkit/cli/fake-instances.ts';
import { runWith } from '../../../testkit/cli/run-main.ts';

const run = (line: string) => runWith((system) => system, line.split(' '));

it('lists the instances, as text and as JSON', async () => {
  const { stdout } = await run('instances');
  expect(stdout).toMatch(
    /4f1a09c2 +serving +alpha +http:\/\/127\.0\.0\.1:8004 +1\.0\.0 .*1 server +2 calls +0 runs/,
  );
  expect(JSON.parse((await run('instances list --json')).stdout)).toEqual([fakeInstance]);
});

it('says so where there is none, and since when one is gone', async () => {
  const shown = (list: readonly object[]) =>
    runWith(
      (system) => ({
        ...system,
        instances: { ...system.instances, list: async () => list as never },
      }),
      ['instances'],
    );
  expect((await shown([])).stdout).toContain('No instance is running');
  expect((await shown([{ ...fakeInstance, state: 'gone' }])).stdout).toContain('gone since');
});

it('drains one by the beginning of its id', async () => {
  expect((await run('instances drain 4f1a')).stdout).toContain('Instance 4f1a09c2');
  const unknown = await run('instances drain 9');
  expect(unknown.exitCode).toBe(2);
  expect(unknown.stderr).toContain('choose from: 4f1a09c2');
});
