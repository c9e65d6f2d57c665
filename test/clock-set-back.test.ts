import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import type { RunView } from '../src/contract/run/index.ts';
import { aFolder, runTutti, startTutti, untilEnd, type TuttiOptions } from './support/run-tutti.ts';

const hourMs = 3_600_000;
/** Far more than any of these plans takes, far less than an hour. */
const limitMs = 40_000;

/** A program whose clock is set back an hour while it runs, or before it starts. */
function setBack(cwd: string, afterMs: number): TuttiOptions {
  const preload = fileURLToPath(new URL('support/set-clock.ts', import.meta.url));
  const env = { SET_CLOCK_BY_MS: String(-hourMs), SET_CLOCK_AFTER_MS: String(afterMs) };
  return { cwd, env, nodeArguments: ['--import', preload] };
}

function aPlan(cwd: string, steps: string): string {
  const file = join(cwd, 'a.plan.yaml');
  writeFileSync(file, `steps:\n${steps}\n`);
  return file;
}

it.each([
  ['a sleep', '  - { id: a, sleep: 4s }', 'succeeded'],
  ['the sleep of each element', '  - { id: a, sleep: "${item}s", forEach: [2, 4] }', 'succeeded'],
  [
    'a sleep after another',
    '  - { id: a, sleep: 3s }\n  - { id: b, sleep: 2s, when: "exists(${a})" }',
    'succeeded',
  ],
  [
    'a pause before the next attempt',
    '  - { id: a, tool: code.format_code, args: { path: nowhere }, retry: { attempts: 2, backoffMs: 4000, jitter: 0, on: ["*"] } }',
    'failed',
  ],
])('%s takes no longer when the clock is set back', { timeout: limitMs }, async (...given) => {
  const [, steps, status] = given;
  const cwd = aFolder();
  const argv = ['run', aPlan(cwd, steps), '--json'];
  const { stdout, stderr } = await runTutti(argv, setBack(cwd, 2_500));
  expect({ status: (JSON.parse(stdout) as RunView).status, stderr }).toMatchObject({ status });
});

it(
  'a wait and an approval end in time in a worker whose clock is set back',
  { timeout: limitMs },
  async () => {
    const cwd = aFolder();
    const steps =
      '  - { id: a, wait: { signal: go, timeoutMs: 8000 }, onFailure: skip }\n' +
      '  - { id: b, approval: { expiresMs: 8000 }, onFailure: skip }';
    const worker = startTutti(['worker', '--json'], setBack(cwd, 6_000));
    await once(worker.stdout, 'data');
    const { stdout } = await runTutti(['run', aPlan(cwd, steps), '--detach', '--json'], { cwd });
    const { runId } = JSON.parse(stdout) as RunView;
    const statusOf = async (): Promise<string> => {
      const shown = await runTutti(['runs', 'show', runId, '--json'], { cwd });
      return (JSON.parse(shown.stdout) as RunView).status;
    };
    await expect.poll(statusOf, { timeout: limitMs, interval: 1_000 }).toBe('succeeded');
  },
);

it(
  'a sleep whose process was killed takes no longer when the clock was set back before it is resumed',
  { timeout: limitMs },
  async () => {
    const cwd = aFolder();
    const first = startTutti(['run', aPlan(cwd, '  - { id: a, sleep: 5s }')], { cwd });
    let said = '';
    first.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await vi.waitUntil(() => said.includes('a: running'), { timeout: limitMs });
    const [, runId = ''] = /^Run (\S+)/m.exec(said) ?? [];
    first.kill('SIGKILL');
    await untilEnd(first);
    const { stdout } = await runTutti(['runs', 'resume', runId, '--json'], setBack(cwd, 0));
    expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded' });
  },
);
