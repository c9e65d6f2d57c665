import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { ask, Client, requestBytes } from '../bench/api/load.ts';
import { isProof, seededRandom } from '../testkit/sample.ts';
import { aFolder, serveTutti } from './support/run-tutti.ts';

/** Requests for each of the two objects. */
const count = isProof ? 3_000 : 250;
/** 0.5: the times say nothing. Its standard deviation is 0.026 for 250 of each, 0.007 for 3,000. */
const tolerance = isProof ? 0.06 : 0.15;

/** How often a request for the one takes longer than a request for the other: 0.5 where nobody can tell. */
function shareOfLonger(ones: readonly number[], others: readonly number[]): number {
  const all = [
    ...ones.map((ms) => ({ ms, isOne: true })),
    ...others.map((ms) => ({ ms, isOne: false })),
  ].toSorted((a, b) => a.ms - b.ms);
  let seen = 0;
  let longer = 0;
  for (const { isOne } of all) {
    if (isOne) longer += seen;
    else seen += 1;
  }
  return longer / (ones.length * others.length);
}

it('the share is 0.5 for equal times and 1 for longer ones', () => {
  const random = seededRandom(1);
  const times = Array.from({ length: 1_000 }, () => random());
  expect(shareOfLonger(times.slice(500), times.slice(0, 500))).toBeCloseTo(0.5, 1);
  expect(shareOfLonger([3, 4], [1, 2])).toBe(1);
});

it(
  'the time of an answer does not tell an object of another tenant from a missing one',
  { timeout: 600_000 },
  async () => {
    const cwd = aFolder();
    mkdirSync(join(cwd, '.config', 'tutti'), { recursive: true });
    const rate_limit = {
      per_second: 100_000,
      burst: 100_000,
      address_per_second: 100_000,
      address_burst: 100_000,
    };
    const settings = JSON.stringify({ server: { rate_limit } });
    writeFileSync(join(cwd, '.config', 'tutti', 'config.yaml'), settings);
    const { url, headers } = await serveTutti({ cwd });
    const port = Number(new URL(url).port);
    const own = headers.authorization.replace('Bearer ', '');
    const post = (token: string, path: string, body: object) =>
      ask(port, { method: 'POST', path: `/api/v1${path}`, token, body });
    const keyOf = async (name: string) =>
      String((await post(own, '/keys', { name, tenant: name, role: 'admin' }))['secret']);
    const [anna, bert] = [await keyOf('anna'), await keyOf('bert')];
    const plan = { steps: [{ id: 'ask', approval: { message: 'Go on?' } }] };
    const { runId } = await post(anna, '/runs', { plan });
    const { id: sessionId } = await post(anna, '/sessions', {});
    const { turnId } = await post(anna, '/turns', { message: 'format app.py', planOnly: true });
    const pairs = [
      [`/runs/${String(runId)}`, '/runs/0k9x2m4c7v5b8n1z3q'],
      [`/runs/${String(runId)}/journal`, '/runs/0k9x2m4c7v5b8n1z3q/journal'],
      [`/sessions/${String(sessionId)}`, '/sessions/0123456789ab'],
      [`/turns/${String(turnId)}/events`, '/turns/00000000-0000-4000-8000-000000000000/events'],
    ] as const;
    const client = new Client(port);
    const random = seededRandom(7);
    for (const pair of pairs) {
      const requests = pair.map((path) => requestBytes({ path: `/api/v1${path}`, token: bert }));
      const times: [number[], number[]] = [[], []];
      // The first ones compile and fill caches.
      for (let number = -50; times[0].length < count || times[1].length < count; number += 1) {
        const which = random() < 0.5 ? 0 : 1;
        const sentAt = performance.now();
        const text = await client.send(requests[which] ?? '');
        const ms = performance.now() - sentAt;
        expect(text).toContain('HTTP/1.1 404');
        if (number >= 0) times[which].push(ms);
      }
      const share = shareOfLonger(times[0], times[1]);
      if (isProof) console.log(pair[0], share.toFixed(3));
      expect(Math.abs(share - 0.5), `${pair[0]}: ${share}`).toBeLessThan(tolerance);
    }
    client.close();
  },
);
