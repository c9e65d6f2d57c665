import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHttpGateway } from '../src/gateway/index.ts';
import { FixtureServer } from '../testkit/gateway/fixture-server.ts';
import { sharedSessions } from '../testkit/gateway/memory-client-sessions.ts';
import { silentLog } from '../src/kernel/index.ts';

/** A way to reach a gateway, and the server behind it where the test can see it. */
interface Reach {
  readonly transport: Transport;
  readonly server: FixtureServer | undefined;
}

const stdio = async (): Promise<Reach> => ({
  transport: new StdioClientTransport({
    command: process.execPath,
    args: ['testkit/gateway/stdio-fixture.ts'],
  }),
  server: undefined,
});

async function http(): Promise<Reach> {
  const { url, server } = await aGateway();
  return { transport: new StreamableHTTPClientTransport(new URL('/mcp', url)), server };
}

async function sse(): Promise<Reach> {
  const { url, server } = await aGateway();
  return { transport: new SSEClientTransport(new URL('/sse', url)), server };
}

async function aGateway(): Promise<{ url: string; server: FixtureServer }> {
  const server = new FixtureServer();
  const gateway = await createHttpGateway({
    sessions: sharedSessions(),
    server,
    log: silentLog,
    version: '0',
    host: '127.0.0.1',
    port: 0,
  });
  onTestFinished(() => gateway.close());
  return { url: gateway.url, server };
}

const ways = [
  { name: 'stdio, 2025-11-25', mode: 'legacy', version: '2025-11-25', reach: stdio },
  { name: 'stdio, 2026-07-28', mode: 'auto', version: '2026-07-28', reach: stdio },
  { name: 'HTTP, 2025-11-25', mode: 'legacy', version: '2025-11-25', reach: http },
  { name: 'HTTP, 2026-07-28', mode: 'auto', version: '2026-07-28', reach: http },
  { name: 'HTTP+SSE', mode: 'legacy', version: '2025-11-25', reach: sse },
] as const;

describe.each(ways)('the official client over $name', ({ mode, version, reach }) => {
  async function connect(): Promise<{ client: Client; server: FixtureServer | undefined }> {
    const { transport, server } = await reach();
    const client = new Client(
      { name: 'test', version: '1' },
      {
        versionNegotiation: { mode },
        listChanged: {
          tools: {
            autoRefresh: false,
            debounceMs: 0,
            onChanged: () => {
              changes.push('tools');
            },
          },
        },
      },
    );
    onTestFinished(() => client.close());
    await client.connect(transport);
    return { client, server };
  }
  const changes: string[] = [];

  it('agrees on the version and learns who we are', async () => {
    const { client } = await connect();
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getServerVersion()).toMatchObject({ name: 'fixture', version: '1.2.3' });
    expect(client.getInstructions()).toBe('For tests.');
  });

  it('lists and calls tools', async () => {
    const { client } = await connect();
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('sum');
    const result = await client.callTool({ name: 'sum', arguments: { a: 20, b: 22 } });
    expect(result.structuredContent).toEqual({ total: 42 });
    expect(await client.callTool({ name: 'fail', arguments: {} })).toMatchObject({ isError: true });
  });

  it('reads resources, prompts and completions', async () => {
    const { client } = await connect();
    expect(await client.readResource({ uri: 'fixture://text' })).toMatchObject({
      contents: [{ text: 'contents' }],
    });
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    expect(await client.getPrompt({ name: 'greet', arguments: { who: 'Ada' } })).toMatchObject({
      messages: [{ content: { text: 'Greet Ada' } }],
    });
    const completion = await client.complete({
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'who', value: 'gr' },
    });
    expect(completion.completion.values).toEqual(['grace']);
  });

  it('is told clearly what it did wrong', async () => {
    const { client } = await connect();
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('Unknown tool'),
    });
    await expect(client.callTool({ name: 'refuse', arguments: {} })).rejects.toMatchObject({
      data: { code: 'fixture.refused' },
    });
  });

  it('can stop a call and go on', async () => {
    const { client } = await connect();
    const stop = new AbortController();
    const call = client.callTool({ name: 'wait', arguments: {} }, { signal: stop.signal });
    const outcome = call.catch((error: unknown) => String(error));
    stop.abort('enough');
    expect(await outcome).toContain('enough');
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });

  // Behind a pipe the test cannot see the server, and this client drops progress that arrives in one
  // read with the answer.
  it.runIf(reach !== stdio)('gets progress, and its stop reaches the tool', async () => {
    const { client, server } = await connect();
    const progress = vi.fn();
    await client.callTool({ name: 'steps', arguments: { count: 3 } }, { onprogress: progress });
    expect(progress).toHaveBeenCalledWith({ progress: 1, total: 3, message: 'step 1' });
    const stop = new AbortController();
    const call = client.callTool({ name: 'wait', arguments: {} }, { signal: stop.signal });
    const outcome = call.catch((error: unknown) => String(error));
    await vi.waitFor(() => expect(server?.calls).toHaveLength(2));
    stop.abort('enough');
    expect(await outcome).toContain('enough');
    await vi.waitFor(() => expect(server?.calls[1]?.signal.aborted).toBe(true));
  });

  // Behind a pipe the test cannot reach into the server to change its tools.
  it.runIf(reach !== stdio)('hears when the tools change', async () => {
    const { server } = await connect();
    changes.length = 0;
    // The client opens its stream after connecting; until then nobody listens.
    await vi.waitFor(() => {
      server?.change({ kind: 'tools' });
      expect(changes).toContain('tools');
    });
  });
});
