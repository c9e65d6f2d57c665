import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { statelessMeta } from '../testkit/gateway/stdio-peer.ts';
import type { AuditEntry } from '../src/contract/access/index.ts';
import { isProof } from '../testkit/sample.ts';
import { openSession, postMcp } from './support/instances.ts';
import { aFolder, runTutti, serveTutti } from './support/run-tutti.ts';

const rounds = isProof ? 20 : 2;
const clients = 8;
/** Answered before the server is asked to end. */
const warmUp = 20;
const items = 60;
/** A call that is under way when the server is asked to end: longer than servers and the store get. */
const longCallMs = 8_000;
/** The drain limit of `tutti serve` and the time its servers and the store get, on a busy machine. */
const maxExitMs = 45_000;
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

/** Of REST, and of both eras of MCP, as JSON or as an event. */
const success = /"isError":false|"structuredContent":|"slept"/;

/** A server on pipes whose one tool answers after `ms`. */
const slowServer = `
import { createInterface } from 'node:readline';
const send = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') send(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'slow', version: '1' } });
  else if (method === 'tools/list') send(id, { tools: [{ name: 'sleep', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call') setTimeout(() => send(id, { content: [{ type: 'text', text: 'slept' }] }), params.arguments.ms);
  else if (id !== undefined) send(id, {});
});
`;

/** Calls one after the other until the connection fails; every answer must be whole and a success. */
async function callUntilGone(call: () => Promise<Response>, count: { answered: number }) {
  for (;;) {
    let response;
    try {
      response = await call();
    } catch {
      return;
    }
    // The answer has begun: from here on nothing may fail. What was not begun may be sent to another instance.
    const text = await response.text();
    if (response.status === 503) {
      expect(text).toContain('draining');
      continue;
    }
    expect([response.status, text]).toEqual([200, expect.stringMatching(success)]);
    count.answered += 1;
  }
}

/** Attempts of the tool that the server began, by the face they came through. */
async function executed(cwd: string): Promise<number> {
  const { stdout } = await runTutti(['audit', '--json', '--limit', '10000'], { cwd });
  const entries = JSON.parse(stdout) as AuditEntry[];
  return entries.filter(({ face, target }) => face !== 'run' && target === tool).length;
}

it(
  'SIGTERM under load: every call that was begun is answered, the program ends in time, runs go on at the next start',
  { timeout: rounds * 60_000 + 60_000 },
  async () => {
    const cwd = aFolder();
    mkdirSync(join(cwd, '.config', 'tutti'), { recursive: true });
    const rate_limit = { per_second: 100_000, burst: 100_000 };
    writeFileSync(join(cwd, 'slow.mjs'), slowServer);
    const mcpServers = { slow: { command: process.execPath, args: [join(cwd, 'slow.mjs')] } };
    const settings = JSON.stringify({ server: { rate_limit }, mcpServers });
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
      const session = await openSession(url, headers);
      const stateless = { ...headers, 'mcp-protocol-version': '2026-07-28' };
      const overMcp = (name: string, given: object): readonly (() => Promise<Response>)[] => {
        const message = { method: 'tools/call', params: { name, arguments: given } };
        const params = { ...message.params, _meta: statelessMeta };
        const named = { ...stateless, 'mcp-method': message.method, 'mcp-name': name };
        let id = 0;
        return [
          () => postMcp(url, session, { ...message, id: `${name}-${(id += 1)}` }),
          () => postMcp(url, named, { ...message, params, id: 1 }),
        ];
      };
      const slow = { ms: longCallMs };
      const long = [
        () => post('/tools/slow.sleep/call', { arguments: slow }),
        ...overMcp('slow__sleep', slow),
      ].map(async (begin) => {
        const response = await begin();
        expect([response.status, await response.text()]).toEqual([
          200,
          expect.stringMatching(success),
        ]);
      });
      const kinds = [call, ...overMcp(tool.replace('.', '__'), args)];
      const loads = Array.from({ length: clients }, (_, at) =>
        callUntilGone(kinds[at % kinds.length] ?? call, count),
      );
      await expect.poll(() => count.answered, { timeout: 30_000 }).toBeGreaterThan(until);
      const started = await post('/runs', { plan });
      const { runId } = (await started.json()) as { runId: string };
      const askedAt = performance.now();
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(performance.now() - askedAt).toBeLessThan(maxExitMs);
      await Promise.all([...loads, ...long]);
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
