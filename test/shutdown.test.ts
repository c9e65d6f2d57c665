import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AuditEntry } from '../src/contract/access/index.ts';
import { isProof } from '../testkit/sample.ts';
import { aFolder, runTutti, serveTutti } from './support/run-tutti.ts';

const rounds = isProof ? 20 : 2;
const clients = 8;
/** Answered before the server is asked to end. */
const warmUp = 20;
const items = 60;
/** The drain limit of `tutti serve` and the time its servers and the store get, on a busy machine. */
const maxExitMs = 15_000;
const maxRunMs = 60_000;

const tool = 'code.format_code';
const plan = {
  name: 'deployed-over',
  steps: [
    { id: 'a', tool, forEach: Array.from({ length: items }, (_, n) => n), concurrency: 2 },
    { id: 'b', sleep: '200ms' },
    { id: 'c', tool },
  ].map((step) =>
    step.id === 'b' ? step : { ...step, args: { language: 'python', code: 'x = [ 1 ]' } },
  ),
};

/** Calls one after the other until the connection fails; every answer must be whole and a success. */
async function callUntilGone(call: () => Promise<Response>, count: { answered: number }) {
  for (;;) {
    let response;
    try {
      response = await call();
    } catch {
      return;
    }
    // The answer has begun: from here on nothing may fail.
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ isError: false });
    count.answered += 1;
  }
}

/** Attempts of the tool that the server began, by the face they came through. */
async function executed(cwd: string): Promise<number> {
  const { stdout } = await runTutti(['audit', '--json', '--limit', '10000'], { cwd });
  const entries = JSON.parse(stdout) as AuditEntry[];
  return entries.filter(({ face, target }) => face === 'rest' && target === tool).length;
}

it(
  'SIGTERM under load: every call that was begun is answered, the program ends in time, runs go on at the next start',
  { timeout: rounds * 60_000 + 60_000 },
  async () => {
    const cwd = aFolder();
    mkdirSync(join(cwd, '.config', 'tutti'), { recursive: true });
    const rate_limit = { per_second: 100_000, burst: 100_000 };
    const settings = JSON.stringify({ server: { rate_limit } });
    writeFileSync(join(cwd, '.config', 'tutti', 'config.yaml'), settings);
    const count = { answered: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const { child, url, headers } = await serveTutti({ cwd });
      const ended = once(child, 'exit');
      const post = (path: string, body: object): Promise<Response> =>
        fetch(`${url}/api/v1${path}`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      const args = { language: 'python', code: 'x = [ 1,2 ]' };
      const call = () => post(`/tools/${tool}/call`, { arguments: args });
      const until = count.answered + warmUp;
      const loads = Array.from({ length: clients }, () => callUntilGone(call, count));
      await expect.poll(() => count.answered, { timeout: 30_000 }).toBeGreaterThan(until);
      const started = await post('/runs', { plan });
      const { runId } = (await started.json()) as { runId: string };
      const askedAt = performance.now();
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(performance.now() - askedAt).toBeLessThan(maxExitMs);
      await Promise.all(loads);
      expect(await executed(cwd)).toBe(count.answered);

      const next = await serveTutti({ cwd });
      const view = async () => {
        const answer = await fetch(`${next.url}/api/v1/runs/${runId}`, { headers: next.headers });
        return (await answer.json()) as { status: string; doneSteps: number };
      };
      await expect
        .poll(view, { timeout: maxRunMs, interval: 100 })
        .toMatchObject({ status: 'succeeded' });
      next.child.kill('SIGTERM');
      expect(await once(next.child, 'exit')).toEqual([0, null]);
    }
    expect(count.answered).toBeGreaterThan(rounds * warmUp);
  },
);
