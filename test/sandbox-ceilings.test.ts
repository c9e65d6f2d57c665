import { describe, expect, it } from 'vitest';
import { aFolder, runTutti } from './support/run-tutti.ts';
import { bubblewrapMissing, whyNoBubblewrap } from '../testkit/sandbox/this-machine.ts';

const ceilings = {
  wall_ms: 20_000,
  cpu_ms: 20_000,
  cpus: 0.5,
  memory: '128MiB',
  pids: 32,
  disk: '8MiB',
  open_files: 64,
  output: '4KiB',
};

/** Runs a program under these ceilings, as a model would ask for it. */
async function runCode(code: string, limits: object): Promise<string> {
  const cwd = aFolder();
  const sets = Object.entries(ceilings).flatMap(([key, value]) => [
    '--set',
    `sandbox.ceilings.${key}=${value}`,
  ]);
  const args = JSON.stringify({ language: 'shell', code, limits });
  const argv = ['call', 'exec.run_code', '--args', args, '--yes', '--json', ...sets];
  const { stdout, stderr } = await runTutti(argv, { cwd });
  return stdout + stderr;
}

// Needs bubblewrap; in CI it must work.
describe.skipIf(bubblewrapMissing)(`the settings sandbox.ceilings${whyNoBubblewrap}`, () => {
  it.each([
    ['wallMs', 20_001],
    ['cpuMs', 30_000],
    ['cpus', 1],
    ['memoryBytes', 2 ** 28],
    ['pids', 33],
    ['diskBytes', 2 ** 27],
    ['openFiles', 512],
    ['outputBytes', 5_000],
  ])('refuse a call that asks for more %s', async (limit, wanted) => {
    const answer = await runCode('echo ran', { [limit]: wanted });
    expect(answer).toContain(`the limit ${limit} is ${wanted}`);
    expect(answer).toContain('sandbox.ceilings');
    expect(answer).not.toContain('ran\\n');
  });

  it('hold a call that asks for nothing, although the defaults are higher', async () => {
    const answer = await runCode('ulimit -n; head -c 5000 /dev/zero; sleep 5', {});
    expect(answer).toContain('64\\n');
    expect(answer).toMatch(/"reason": ?"output"/);
  });

  it('let a call have what is below them', async () => {
    expect(await runCode('ulimit -n', { openFiles: 48 })).toContain('48\\n');
  });
});
