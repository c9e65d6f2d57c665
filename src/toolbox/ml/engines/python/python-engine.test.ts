import { expect, it } from 'vitest';
import type { SandboxResult } from '../../../../contract/sandbox/index.ts';
import { silentLog } from '../../../../kernel/index.ts';
import { createPythonEngine, type PythonEnvironment } from './python-engine.ts';

const venv: PythonEnvironment = { interpreter: '/srv/venv/bin/python', mounts: [], hash: '1' };
const broken: PythonEnvironment = { interpreter: '/srv/broken/bin/python', mounts: [], hash: '1' };

/** An engine over a sandbox in which Pythons say this of themselves. */
function anEngine(said: Record<string, object>) {
  const environments: PythonEnvironment[] = [];
  const engine = createPythonEngine({
    sandbox: async () => ({
      run: async ({ program }) => {
        const answer = program.kind === 'command' ? said[program.argv[0] ?? ''] : undefined;
        if (!answer) throw new Error('it may not be shown');
        // What the engine reads of a result.
        return {
          exitCode: 0,
          stdout: Buffer.from(`a warning\n${JSON.stringify(answer)}\n`),
        } as unknown as SandboxResult;
      },
    }),
    environments: async () => environments,
    ceilings: { wallMs: 1, cpuMs: 1, memoryBytes: 1, diskBytes: 1, outputBytes: 1 },
    version: '1',
    log: silentLog,
  });
  return { engine, environments };
}

const torch = (gigaflops: number, installed = ['torch==2.4']) => ({
  python: '3.11.2',
  modules: { torch: '2.4' },
  gigaflops,
  installed,
});

it('uses an environment that was built after it looked, and passes over one that does not work', async () => {
  const { engine, environments } = anEngine({ [venv.interpreter]: torch(40) });
  expect(await engine.probe()).toMatchObject({ can: [] });
  environments.push(broken, venv);
  expect(await engine.probe()).toMatchObject({ can: ['finetune:full', 'finetune:lora'] });
});

it('is the same engine however fast it was when it was measured, and another with other packages', async () => {
  const reports = [torch(12), torch(57), torch(57, ['torch==2.4', 'numpy==2.0'])].map((said) => {
    const { engine, environments } = anEngine({ [venv.interpreter]: said });
    environments.push(venv);
    return engine.probe();
  });
  const [slow, fast, other] = await Promise.all(reports);
  expect([fast?.version, fast?.digests]).toEqual([slow?.version, slow?.digests]);
  expect(other?.digests.environment).not.toBe(fast?.digests.environment);
  expect(other?.digests.program).toBe(fast?.digests.program);
});
