import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { aRun } from '../../../testkit/cli/fake-workflows.ts';
import { createFakeSystem } from '../../../testkit/cli/fake-system.ts';
import { runMain } from '../../../testkit/cli/run-main.ts';

/** Runs by id, with the runs whose work they are a part of. */
const parents: Readonly<Record<string, string | null>> = { child: 'middle', middle: 'whole' };

async function tutti(...argv: readonly string[]) {
  const compose = await createFakeSystem().compose();
  const openSystem: typeof compose.openSystem = async (options) => {
    const system = await compose.openSystem(options);
    const workflows = {
      ...system.workflows,
      list: async () => [{ ...aRun, runId: 'child' }],
      show: async (_caller: typeof localCaller, runId: string) => {
        if (!['child', 'middle', 'whole'].includes(runId)) throw new Error(`no run ${runId}`);
        return { ...aRun, runId };
      },
    };
    const agents = Object({
      why: async (_caller: typeof localCaller, runId: string) =>
        Object.hasOwn(parents, runId) ? [{ runId, parentRun: parents[runId] }] : [],
      propose: async () => [{ name: 'a-then-b', text: '', runs: [], shape: [] }],
    });
    return { ...system, workflows, agents };
  };
  return runMain(argv, { io: { compose: async () => ({ ...compose, openSystem }) } });
}

describe('tutti runs why', () => {
  it('is about runs that are there', async () => {
    const ran = await tutti('runs', 'why', 'nope');
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toContain('no run nope');
    expect((await tutti('runs', 'why', 'whole')).stdout).toBe('No agent took part in this run.\n');
  });

  it.each(['why', 'show'])(
    'last is the run that those of agents are a part of: %s',
    async (name) => {
      const ran = await tutti('runs', name, 'last', '--json');
      expect(JSON.parse(ran.stdout)).toMatchObject({ runId: 'whole' });
    },
  );
});

it('tutti agents propose --json is one document, and asks nothing', async () => {
  const ran = await tutti('agents', 'propose', '--json');
  expect(ran.exitCode).toBe(0);
  expect(ran.stderr).not.toContain('a-then-b');
  expect(JSON.parse(ran.stdout)).toMatchObject({ proposals: [{ name: 'a-then-b' }], added: [] });
});
