import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Instance } from '../src/contract/instance/index.ts';
import { aHome, openSession, postMcp } from './support/instances.ts';
import { runTutti, serveTutti } from './support/run-tutti.ts';

const timeout = 120_000;
const waiting = { method: 'tools/call', params: { name: 'fixture__wait', arguments: {} } };
const elicitation = {
  method: 'elicitation/create',
  params: { message: '?', requestedSchema: { type: 'object', properties: {} } },
};
const asking = {
  method: 'tools/call',
  params: { name: 'fixture__ask', arguments: { requests: [elicitation] } },
};

async function listed(cwd: string): Promise<readonly Instance[]> {
  const { stdout } = await runTutti(['instances', '--json'], { cwd });
  return JSON.parse(stdout) as Instance[];
}

it('are listed with what they do; one that was killed shows as gone', { timeout }, async () => {
  const cwd = aHome();
  expect(await listed(cwd)).toEqual([]);
  const one = await serveTutti({ cwd });
  const other = await serveTutti({ cwd });
  const leaving = new AbortController();
  const session = await openSession(other.url, other.headers);
  void postMcp(other.url, session, waiting).catch(() => leaving.abort());
  const busy = async () => (await listed(cwd)).find(({ address }) => address === other.url);
  await expect.poll(busy, { timeout: 20_000 }).toMatchObject({ calls: 1, servers: 1 });
  expect(await listed(cwd)).toMatchObject([
    { address: one.url, state: 'serving', calls: 0, runs: 0 },
    { address: other.url, state: 'serving' },
  ]);
  const rest = await fetch(`${one.url}/api/v1/instances`, { headers: one.headers });
  expect(await rest.json()).toMatchObject({
    items: [{ address: one.url }, { address: other.url }],
  });

  const gone = once(other.child, 'exit');
  other.child.kill('SIGKILL');
  await gone;
  const states = async () => (await listed(cwd)).map(({ state }) => state);
  await expect.poll(states, { timeout: 30_000, interval: 500 }).toEqual(['serving', 'gone']);
  const [, dead] = await listed(cwd);
  const refused = await runTutti(['instances', 'drain', dead?.id ?? ''], { cwd });
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain('compose.instance_gone');

  const ended = once(one.child, 'exit');
  one.child.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
  expect(await listed(cwd)).toMatchObject([{ state: 'gone' }]);
});

it(
  'finish what they have when they are drained, take nothing new, and end',
  { timeout },
  async () => {
    const cwd = aHome();
    const one = await serveTutti({ cwd });
    const other = await serveTutti({ cwd });
    const ended = once(one.child, 'exit');
    const session = await openSession(one.url, one.headers, { elicitation: {} });
    const asked = await postMcp(one.url, session, asking);
    const events = asked.body?.pipeThrough(new TextDecoderStream()).getReader();
    const question = String((await events?.read())?.value);
    const { id } = JSON.parse(/^data: (.*)$/m.exec(question)?.[1] ?? '{}') as { id: string };

    const [instance] = await listed(cwd);
    const drain = await runTutti(['instances', 'drain', instance?.id.slice(0, 6) ?? ''], { cwd });
    expect(drain).toMatchObject({ exitCode: 0 });
    const ready = async () => (await fetch(`${one.url}/ready`)).status;
    await expect.poll(ready, { timeout: 20_000 }).toBe(503);
    const refused = await postMcp(one.url, session, { method: 'tools/list' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    const rest = await fetch(`${one.url}/api/v1/tools/code.format_code/call`, {
      method: 'POST',
      headers: { ...one.headers, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(rest.status).toBe(503);
    expect(await rest.json()).toMatchObject({ code: 'api.draining' });
    expect((await listed(cwd)).map(({ state }) => state)).toEqual(['draining', 'serving']);
    // The client goes on at the other one, the answer to the question of this one included.
    expect((await postMcp(other.url, session, { method: 'tools/list' })).status).toBe(200);
    const answer = { id, result: { action: 'accept', content: {} } };
    expect((await postMcp(other.url, session, answer)).status).toBe(202);
    expect(String((await events?.read())?.value)).toContain('accept');
    expect((await ended)[0]).toBe(0);
    expect(await listed(cwd)).toMatchObject([{ address: other.url, state: 'serving' }]);
  },
);

it('end at their limit with a call that does not', { timeout }, async () => {
  const cwd = aHome({ server: { drain_seconds: 1 } });
  const { child, url, headers } = await serveTutti({ cwd });
  const ended = once(child, 'exit');
  const session = await openSession(url, headers);
  const call = postMcp(url, session, waiting).catch(() => undefined);
  await expect.poll(async () => (await listed(cwd))[0]?.calls, { timeout: 20_000 }).toBe(1);
  const [instance] = await listed(cwd);
  await runTutti(['instances', 'drain', instance?.id ?? ''], { cwd });
  expect((await ended)[0]).toBe(0);
  await call;
});

it('lose no call of a load when one after the other is drained', { timeout }, async () => {
  const cwd = aHome();
  let current = await serveTutti({ cwd });
  const session = await openSession(current.url, current.headers);
  const format = {
    method: 'tools/call',
    params: { name: 'code__format_code', arguments: { language: 'python', code: 'x = [ 1 ]' } },
  };
  const count = { answered: 0, sentAgain: 0, isOver: false };
  /** What a balancer does: an instance that takes nothing new is not asked again. */
  const load = async (_: unknown, id: number): Promise<void> => {
    while (!count.isOver) {
      const { url } = current;
      const response = await postMcp(url, session, { ...format, id });
      const text = await response.text();
      if (response.status === 503) {
        count.sentAgain += 1;
        if (url === current.url) await pause(20);
        continue;
      }
      expect([response.status, text]).toEqual([200, expect.stringContaining('structuredContent')]);
      count.answered += 1;
    }
  };
  const loads = Promise.all(Array.from({ length: 4 }, load));
  for (let round = 0; round < 2; round += 1) {
    const old = current;
    const next = await serveTutti({ cwd });
    const ended = once(old.child, 'exit');
    const { id } = (await listed(cwd)).find(({ address }) => address === old.url) ?? { id: '' };
    await runTutti(['instances', 'drain', id], { cwd });
    const ready = async () => (await fetch(`${old.url}/ready`)).status;
    await expect.poll(ready, { timeout: 20_000 }).toBe(503);
    current = next;
    expect((await ended)[0]).toBe(0);
  }
  count.isOver = true;
  await loads;
  expect(count.answered).toBeGreaterThan(20);
});
