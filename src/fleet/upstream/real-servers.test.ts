import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { wireTextOf, withWireText } from '../../contract/wire/index.ts';
import { silentLog } from '../../kernel/index.ts';
import { connectUpstream } from './connect-upstream.ts';
import type { OpenLink } from './link.ts';
import { openHttpLink } from './links/http-link.ts';
import { openStdioLink } from './links/stdio-link.ts';
import { spawnOwner } from '../../../testkit/fleet/upstream/links/spawn-owner.ts';
import {
  aClient,
  aContext,
  aProgressContext,
  clientInfo,
} from '../../../testkit/fleet/upstream/a-context.ts';
import { createSdkServer } from '../../../testkit/fleet/upstream/sdk-fixture.ts';
import type { UpstreamServer } from './upstream-server.ts';

const owner = spawnOwner();
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
  await owner.close();
});

const stderr: string[] = [];

function overStdio(mode: string): OpenLink {
  const program = fileURLToPath(
    new URL('../../../testkit/fleet/upstream/sdk-program.ts', import.meta.url),
  );
  const process_ = { command: process.execPath, args: [program, mode], env: {} };
  const onStderr = (line: string): void => void stderr.push(line);
  return (listener) => openStdioLink({ name: 'sdk', process: process_, owner, onStderr }, listener);
}

async function overHttp(legacy: 'stateless' | 'reject'): Promise<OpenLink> {
  const handler = createMcpHandler(createSdkServer, { legacy });
  const handle = toNodeHandler(handler);
  // The same request; the package only declares its optional members more strictly.
  return serve((request, response) => handle(request as Parameters<typeof handle>[0], response));
}

interface Sessions {
  readonly openLink: OpenLink;
  /** As after a restart of the server. */
  readonly forget: () => void;
}

/** A server that keeps a session per client. */
async function overSessions(): Promise<Sessions> {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const openLink = await serve(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (id !== undefined && !known) {
      response.writeHead(404).end();
      return;
    }
    const transport =
      known ??
      new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (session) => void sessions.set(session, transport),
      });
    if (!known) await createSdkServer().connect(transport);
    await transport.handleRequest(request, response);
  });
  return { openLink, forget: () => sessions.clear() };
}

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function serve(handle: Handle): Promise<OpenLink> {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close().closeAllConnections());
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp`;
  return (listener) => openHttpLink({ name: 'sdk', url, headers: {} }, listener);
}

async function connect(openLink: OpenLink, knownEra?: 'handshake'): Promise<UpstreamServer> {
  const upstream = await connectUpstream({
    name: 'sdk',
    openLink,
    timeoutMs: 20_000,
    log: silentLog,
    clientInfo,
    knownEra,
  });
  closing.unshift(() => upstream.close());
  return upstream;
}

const kinds = [
  ['handshake', 'an older server on a pipe', async () => connect(overStdio('handshake'))],
  ['stateless', 'a newer server on a pipe', async () => connect(overStdio('stateless'))],
  ['stateless', 'a server of both eras on a pipe', async () => connect(overStdio('both'))],
  [
    'handshake',
    'a server of both eras known as older',
    async () => connect(overStdio('both'), 'handshake'),
  ],
  ['handshake', 'an older server over HTTP', async () => connect((await overSessions()).openLink)],
  ['stateless', 'a newer server over HTTP', async () => connect(await overHttp('reject'))],
] as const;

describe.each(kinds)('the %s era with %s', { timeout: 30_000 }, (era, _kind, open) => {
  it('agrees, lists, calls byte for byte, tells all progress, asks and cancels', async () => {
    const upstream = await open();
    expect(upstream.negotiated).toMatchObject({ era, serverInfo: { name: 'sdk-fixture' } });
    expect((await upstream.listTools()).map(({ name }) => name)).toEqual([
      'echo',
      'count',
      'hang',
      'ask',
    ]);
    const text = '{ "a": 1, "b": "\\u00e9" }';
    const args = withWireText(JSON.parse(text) as object, text);
    const echoed = await upstream.callTool('echo', args, aContext());
    expect(echoed.structuredContent).toEqual({ a: 1, b: 'é' });
    expect(JSON.parse(String(wireTextOf(echoed)))).toEqual({ ...echoed });

    const { context, updates } = aProgressContext();
    await upstream.callTool('count', {}, context);
    expect(updates.map(({ progress }) => progress)).toEqual(
      Array.from({ length: 100 }, (_, at) => at + 1),
    );

    const client = aClient('a', {
      answer: async () => ({ action: 'accept', content: { name: 'Ada' } }),
    });
    const greeting = await upstream.callTool('ask', {}, aContext({ client }));
    expect(greeting.content).toEqual([{ type: 'text', text: 'Hello Ada' }]);
    expect(client.asked).toHaveLength(1);

    const stop = new AbortController();
    const cancelledBefore = stderr.length;
    const hanging = aProgressContext();
    const calling = upstream.callTool('hang', {}, { ...hanging.context, signal: stop.signal });
    await vi.waitFor(() => expect(hanging.updates).toHaveLength(1), 5_000);
    stop.abort(new Error('enough'));
    await expect(calling).rejects.toThrow('enough');
    if (upstream.pid !== undefined) {
      await vi.waitFor(() => expect(stderr.length).toBeGreaterThan(cancelledBefore), 5_000);
    }
    await upstream.ping();
    expect(upstream.problems).toEqual([]);
  });
});

describe('a newer server and a newer client', { timeout: 30_000 }, () => {
  it('ask and answer through us without our doing', async () => {
    const upstream = await connect(overStdio('stateless'));
    const capabilities = { elicitation: { form: {} } };
    const client = aClient('a', { era: 'stateless', capabilities });
    const asked = await upstream.callTool('ask', {}, aContext({ client }));
    expect(asked.resultType).toBe('input_required');
    const extra = { inputResponses: { who: { action: 'accept', content: { name: 'Bo' } } } };
    const answered = await upstream.callTool('ask', {}, aContext({ client, extra }));
    expect(answered.content).toEqual([{ type: 'text', text: 'Hello Bo' }]);
  });
});

describe('a server over HTTP that lost its sessions', { timeout: 30_000 }, () => {
  it('is introduced to us again, and what only reads is asked again', async () => {
    const { openLink, forget } = await overSessions();
    const upstream = await connectUpstream({
      name: 'sdk',
      openLink,
      timeoutMs: 20_000,
      log: silentLog,
      clientInfo,
    });
    closing.unshift(() => upstream.close());
    forget();
    const echoed = await upstream.callTool('echo', { a: 1 }, aContext({ mayRepeat: true }));
    expect(echoed.structuredContent).toEqual({ a: 1 });
    forget();
    await expect(upstream.callTool('count', {}, aContext())).rejects.toMatchObject({
      code: 'fleet.outcome_unknown',
    });
    forget();
    expect(await upstream.listTools()).toHaveLength(4);
  });
});
