import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpGateway } from '../src/gateway/index.ts';
import { FixtureServer } from '../testkit/gateway/fixture-server.ts';
import { sharedSessions } from '../testkit/gateway/memory-client-sessions.ts';
import { silentLog } from '../src/kernel/index.ts';

async function gatewayUrl(path: string): Promise<URL> {
  const gateway = await createHttpGateway({
    sessions: sharedSessions(),
    server: new FixtureServer(),
    log: silentLog,
    version: '0',
    host: '127.0.0.1',
    port: 0,
  });
  onTestFinished(() => gateway.close());
  return new URL(path, gateway.url);
}

const stdio = async () =>
  new StdioClientTransport({
    command: process.execPath,
    args: ['testkit/gateway/stdio-fixture.ts'],
  });
const http = async () => new StreamableHTTPClientTransport(await gatewayUrl('/mcp'));
const sse = async () => new SSEClientTransport(await gatewayUrl('/sse'));

const ways = [
  { name: 'stdio, 2025-11-25', mode: 'legacy', reach: stdio },
  { name: 'stdio, 2026-07-28', mode: 'auto', reach: stdio },
  { name: 'HTTP, 2025-11-25', mode: 'legacy', reach: http },
  { name: 'HTTP, 2026-07-28', mode: 'auto', reach: http },
  { name: 'HTTP+SSE', mode: 'legacy', reach: sse },
] as const;

const elicitation = {
  method: 'elicitation/create',
  params: {
    message: 'Who are you?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  },
};
const sampling = {
  method: 'sampling/createMessage',
  params: {
    messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }],
    maxTokens: 9,
  },
};
const roots = { method: 'roots/list', params: {} };

describe.each(ways)('a server asks the official client over $name', ({ mode, reach }) => {
  async function connect(capabilities: object): Promise<Client> {
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode }, capabilities },
    );
    onTestFinished(() => client.close());
    return client;
  }

  async function aTalkativeClient(): Promise<Client> {
    const client = await connect({ elicitation: {}, sampling: {}, roots: {} });
    client.setRequestHandler('elicitation/create', async ({ params }) => ({
      action: 'accept',
      content: { name: `Ada (${params.message})` },
    }));
    client.setRequestHandler('sampling/createMessage', async () => ({
      role: 'assistant',
      model: 'test',
      content: { type: 'text', text: 'hi' },
    }));
    client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///home' }] }));
    await client.connect(await reach());
    return client;
  }

  it.each([
    ['all at once', true],
    ['one after the other', false],
  ])('for input, a completion and its roots, %s', async (_name, together) => {
    const client = await aTalkativeClient();
    const requests = [elicitation, sampling, roots];
    const result = await client.callTool({ name: 'ask', arguments: { requests, together } });
    expect(result.structuredContent).toMatchObject({
      outcomes: [
        { action: 'accept', content: { name: 'Ada (Who are you?)' } },
        { content: { text: 'hi' } },
        { roots: [{ uri: 'file:///home' }] },
      ],
    });
  });

  it('in many calls at once, and each call gets its own answers', async () => {
    const client = await aTalkativeClient();
    const calls = Array.from({ length: 10 }, (_, n) => {
      const request = { ...elicitation, params: { ...elicitation.params, message: `call ${n}` } };
      return client.callTool({ name: 'ask', arguments: { requests: [request] } });
    });
    const names = (await Promise.all(calls)).map((result) => result.structuredContent);
    expect(names).toMatchObject(
      Array.from({ length: 10 }, (_, n) => ({
        outcomes: [{ content: { name: `Ada (call ${n})` } }],
      })),
    );
  });

  it('only for what it says it can do', async () => {
    const client = await connect({ roots: {} });
    client.setRequestHandler('roots/list', async () => ({ roots: [] }));
    await client.connect(await reach());
    const result = await client.callTool({ name: 'ask', arguments: { requests: [elicitation] } });
    expect(result.structuredContent).toMatchObject({
      outcomes: [
        {
          refused: {
            code: 'gateway.client_refused',
            details: {
              reason: 'missing_capability',
              requiredCapabilities: { elicitation: {} },
            },
          },
        },
      ],
    });
  });
});
