import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { aFolder, program, untilEnd } from './support/run-tutti.ts';

const limitMs = 60_000;
const inOwnMounts = ['--user', '--map-root-user', '--mount'];
const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', [...inOwnMounts, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

/** Runs the plan on a disk of its own that is filled, and freed again, when these files appear. */
const script = `
  mount -t tmpfs -o size=3m,mode=700 none data
  "$NODE" "$TUTTI" run a.plan.yaml & run=$!
  until [ -e fill ]; do sleep 0.05; done
  dd if=/dev/zero of=data/fill bs=4k 2>/dev/null
  until [ -e free ]; do sleep 0.05; done
  rm data/fill
  wait $run
`;

describe.skipIf(!canMount)('a disk that is full in the middle of a run', () => {
  it(
    'is told to the person who waits, and the run goes on when there is space',
    { timeout: limitMs },
    async () => {
      const cwd = aFolder();
      mkdirSync(join(cwd, 'data'));
      const steps = [
        '{ id: a, sleep: 3s }',
        '{ id: b, sleep: 1s, when: "exists(${a})" }',
        '{ id: c, sleep: 1s, when: "exists(${b})" }',
      ];
      writeFileSync(join(cwd, 'a.plan.yaml'), `steps: [${steps.join(', ')}]\n`);
      const env = {
        PATH: process.env['PATH'] ?? '',
        HOME: cwd,
        TUTTI_HOME: join(cwd, 'data'),
        NODE: process.execPath,
        TUTTI: program,
      };
      const child = spawn('unshare', [...inOwnMounts, 'sh', '-c', script], { cwd, env });
      onTestFinished(() => void child.kill('SIGKILL'));
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const ending = untilEnd(child);
      await vi.waitUntil(() => said.includes('a: running'), { timeout: limitMs });
      writeFileSync(join(cwd, 'fill'), '');
      await vi.waitUntil(() => said.includes('The run is held up'), { timeout: limitMs });
      expect(said).toMatch(
        /held up, and tried again for a minute: The database .* the disk is full/,
      );
      writeFileSync(join(cwd, 'free'), '');
      const { exitCode, stderr } = await ending;
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
      expect(stderr.match(/The run is held up/g)).toHaveLength(1);
    },
  );
});
