import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { aHome, postMcp } from './support/instances.ts';
import { serveTutti } from './support/run-tutti.ts';

const timeout = 120_000;
interface Exchange {
  readonly method: string;
  readonly origin: string;
  readonly status: number;
  readonly rpc: string | undefined;
}

/** The official client of the 2025 era behind a balancer: `balance` names the instance for each request. */
async function aClient(
  url: string,
  headers: Readonly<Record<string, string>>,
  balance: (url: string) => string,
) {
  const exchanges: Exchange[] = [];
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers },
    reconnectionOptions: {
      initialReconnectionDelay: 50,
      maxReconnectionDelay: 200,
      reconnectionDelayGrowFactor: 1.5,
      maxRetries: 100,
    },
    fetch: async (input, init) => {
      const to = new URL(String(input));
      const origin = balance(to.origin);
      const response = await fetch(`${origin}${to.pathname}`, init);
      const body = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
      const { method = 'GET' } = init ?? {};
      exchanges.push({ method, origin, status: response.status, rpc: body.method });
      return response;
    },
  });
  const client = new Client(
    { name: 'mover', version: '1' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'legacy' } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
  await client.connect(transport);
  onTestFinished(() => client.close().catch(() => {}));
  return { client, transport, exchanges };
}

const format = { name: 'code__format_code', arguments: { language: 'python', code: 'x = [ 1 ]' } };
const elicitation = {
  method: 'elicitation/create',
  params: { message: '?', requestedSchema: { type: 'object', properties: {} } },
};
const ask = { name: 'fixture__ask', arguments: { requests: [elicitation] } };

it(
  'goes on at another instance after kill -9, without initializing again',
  { timeout },
  async () => {
    const cwd = aHome();
    const [one, other] = [await serveTutti({ cwd }), await serveTutti({ cwd })];
    let current = one.url;
    const { client, transport, exchanges } = await aClient(one.url, one.headers, () => current);
    const before = await client.listTools();
    expect(JSON.stringify(await client.callTool(ask))).toContain('accept');

    const gone = once(one.child, 'exit');
    one.child.kill('SIGKILL');
    await gone;
    current = other.url;
    expect(await client.listTools()).toEqual(before);
    expect(await client.callTool(format)).toHaveProperty('structuredContent');
    expect(JSON.stringify(await client.callTool(ask))).toContain('accept');
    const reopened = () =>
      exchanges.filter(({ method, origin }) => method === 'GET' && origin === other.url);
    await expect.poll(() => reopened().at(-1)?.status, { timeout: 10_000 }).toBe(200);
    const sent = exchanges.filter(({ rpc }) => rpc === 'initialize');
    expect(sent).toHaveLength(1);
    expect(exchanges.filter(({ status }) => status >= 400)).toEqual([]);

    const id = transport.sessionId ?? '';
    const third = await serveTutti({ cwd });
    const post = (to: string, sessionId: string) =>
      postMcp(to, { ...one.headers, 'mcp-session-id': sessionId }, { method: 'ping' });
    expect((await post(third.url, id)).status).toBe(200);
    await transport.terminateSession();
    const unknown = await post(other.url, 'unknown');
    const refusal = [404, await unknown.text()];
    for (const to of [other.url, third.url]) {
      await expect.poll(async () => (await post(to, id)).status, { timeout: 5_000 }).toBe(404);
      for (const wrong of [id, `${id}A`, id.slice(0, -1), id.toUpperCase(), 'v2.AAAAAA.AAAA']) {
        const answer = await post(to, wrong);
        expect([answer.status, await answer.text()]).toEqual(refusal);
      }
    }
  },
);

it('needs no sticky balancer: each request may reach another instance', { timeout }, async () => {
  const cwd = aHome();
  const [one, other] = [await serveTutti({ cwd }), await serveTutti({ cwd })];
  let sent = 0;
  const balance = () => ((sent += 1) % 2 === 0 ? one.url : other.url);
  const { client, exchanges } = await aClient(one.url, one.headers, balance);
  for (let round = 0; round < 10; round += 1) {
    expect(await client.callTool(format)).toHaveProperty('structuredContent');
    // The answer to the question goes to whichever instance is next.
    expect(JSON.stringify(await client.callTool(ask))).toContain('accept');
  }
  expect(exchanges.filter(({ status }) => status >= 400)).toEqual([]);
  expect(new Set(exchanges.map(({ origin }) => origin)).size).toBe(2);
});
