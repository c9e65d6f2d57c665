import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { aHome, openSession, postMcp } from './support/instances.ts';
import { serveTutti } from './support/run-tutti.ts';

const timeout = 120_000;
const format = {
  method: 'tools/call',
  params: { name: 'code__format_code', arguments: { language: 'python', code: 'x = [ 1 ]' } },
};

function residentBytes(pid: number | undefined): number {
  const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1_024;
}

it(
  'refuses a flood with 429 before memory grows, and answers all it began',
  { timeout },
  async () => {
    const maxCalls = 16;
    const cwd = aHome({ server: { max_calls: maxCalls, max_request_bytes: 20_000_000 } });
    const { child, url, headers } = await serveTutti({ cwd });
    const session = await openSession(url, headers);
    for (let warm = 0; warm < 20; warm += 1) await (await postMcp(url, session, format)).text();
    // All slots are taken by calls that do not end by themselves.
    const leaving = new AbortController();
    const held = Array.from({ length: maxCalls }, (_, id) =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { ...session, 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: `held ${id}`,
          method: 'tools/call',
          params: { name: 'fixture__wait', arguments: {} },
        }),
        signal: leaving.signal,
      }).catch(() => undefined),
    );
    await expect
      .poll(async () => (await postMcp(url, session, { method: 'ping' })).status)
      .toBe(429);

    const before = residentBytes(child.pid);
    const clients = 40;
    const bodyBytes = 4_000_000;
    const large = { ...format.params.arguments, code: `# ${'x'.repeat(bodyBytes)}` };
    const call = { ...format, params: { ...format.params, arguments: large } };
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, residentBytes(child.pid))), 20);
    const statuses = new Map<number, number>();
    const flood = async (): Promise<void> => {
      for (let sent = 0; sent < 10; sent += 1) {
        const response = await postMcp(url, session, call);
        expect(response.headers.get('retry-after')).toBe('1');
        await response.text();
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: clients }, flood));
    clearInterval(watch);
    // 400 bodies of 4 MB: 1.6 GB were sent.
    expect([...statuses]).toEqual([[429, 400]]);
    // Less than one body per connection, whatever the collector leaves for later.
    expect(most - before).toBeLessThan(clients * bodyBytes);

    const id = (await openSession(url, headers))['mcp-session-id'];
    expect(id).toBe('');
    leaving.abort();
    await Promise.all(held);
    await expect
      .poll(async () => (await postMcp(url, session, format)).status, { timeout: 10_000 })
      .toBe(200);
  },
);

it('serves a few calls at a time while memory is above its limit', { timeout }, async () => {
  // Less than the program itself needs.
  const cwd = aHome({ server: { max_memory: '10MB' } });
  const { url, headers } = await serveTutti({ cwd });
  const session = await openSession(url, headers);
  expect((await postMcp(url, session, format)).status).toBe(200);
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, id) => {
      const response = await postMcp(url, session, { ...format, id });
      await response.text();
      return [response.status, response.headers.get('retry-after')].join(' ');
    }),
  );
  expect(new Set(answers)).toEqual(new Set(['200 ', '429 2']));
  expect((await postMcp(url, session, format)).status).toBe(200);
});

it(
  'answers a tenant while another one floods: no tenant takes every slot',
  { timeout },
  async () => {
    const cwd = aHome({ server: { max_calls: 20, rate_limit: { max_in_flight: 1_000 } } });
    const { url, headers } = await serveTutti({ cwd });
    const keyOf = async (tenant: string): Promise<{ authorization: string }> => {
      const made = await fetch(`${url}/api/v1/keys`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'ci', tenant, role: 'developer' }),
      });
      const { secret } = (await made.json()) as { secret: string };
      return { authorization: `Bearer ${secret}` };
    };
    const loud = await openSession(url, await keyOf('loud'));
    const quiet = await openSession(url, await keyOf('quiet'));
    const waiting = { method: 'tools/call', params: { name: 'fixture__wait', arguments: {} } };
    const leaving = new AbortController();
    // Calls that do not end, and one after the other in place of those that are refused.
    const refused = new Set<string>();
    for (let id = 0; id < 40; id += 1) {
      void fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { ...loud, 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id, ...waiting }),
        signal: leaving.signal,
      })
        .then(async (response) => refused.add(`${response.status} ${await response.text()}`))
        .catch(() => {});
    }
    await expect.poll(() => [...refused].join(), { timeout: 20_000 }).toContain('of your tenant');
    for (let call = 0; call < 20; call += 1) {
      const response = await postMcp(url, quiet, { ...format, id: call });
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining('structuredContent'),
      ]);
    }
    expect((await postMcp(url, loud, format)).status).toBe(429);
    leaving.abort();
  },
);
