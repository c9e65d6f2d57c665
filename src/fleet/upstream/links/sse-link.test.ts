import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpLinkOptions } from './http-link.ts';
import { openSseLink } from './sse-link.ts';
import {
  beginEvents,
  startHttpFixture,
  type SeenRequest,
} from '../../../../testkit/fleet/upstream/links/http-fixture.ts';
import { recordingListener } from '../../../../testkit/fleet/upstream/links/recording-listener.ts';

interface Serving {
  /** What the stream begins with. */
  readonly opening?: string;
  readonly onGet?: (request: SeenRequest) => void;
  readonly onPost?: (request: SeenRequest, say: (value: unknown) => void) => void;
  readonly options?: Partial<HttpLinkOptions>;
}

const endpoint = 'event: endpoint\r\ndata: /messages?session=1\r\n\r\n';

async function serve({ opening = endpoint, onGet, onPost, options }: Serving = {}) {
  let stream: SeenRequest['response'] | undefined;
  const say = (value: unknown): void => {
    stream?.write(`event: message\ndata: ${JSON.stringify(value)}\n\n`);
  };
  const server = await startHttpFixture((request) => {
    if (request.method === 'POST') {
      onPost?.(request, say);
      return;
    }
    if (onGet) {
      onGet(request);
      return;
    }
    stream = request.response;
    beginEvents(stream);
    stream.write(opening);
  });
  onTestFinished(async () => await server.close());
  const recording = recordingListener();
  const opened = openSseLink(
    { name: 'probe', url: server.url, headers: { 'X-Key': 'k' }, ...options },
    recording.listener,
  );
  return { ...recording, server, opened, endStream: () => stream?.end() };
}

const ask = (id: number) => ({
  id,
  text: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' }),
});

describe('a link over HTTP with one event stream', () => {
  it('posts to the endpoint the server names, and receives the responses on the stream', async () => {
    const { opened, server, until, received, closed } = await serve({
      onPost: ({ response, body }, say) => {
        response.writeHead(202).end('Accepted');
        const { id } = JSON.parse(body) as { id: number };
        say({ jsonrpc: '2.0', method: 'n' });
        say({ jsonrpc: '2.0', id, result: { text: 'é漢' } });
      },
    });
    const link = await opened;
    link.send(ask(1));
    await until(() => received.length === 2);
    expect(received[1]).toMatchObject({ message: { id: 1, outcome: { result: { text: 'é漢' } } } });
    expect(server.seen[1]).toMatchObject({
      path: '/messages?session=1',
      headers: { 'x-key': 'k', 'content-type': 'application/json' },
    });
    await link.close();
    expect(await closed).toEqual({ reason: 'The link was closed', isWanted: true });
    link.send(ask(2));
    expect(server.seen).toHaveLength(2);
  });

  it('ends when the stream ends', async () => {
    const { opened, closed, endStream } = await serve();
    await opened;
    endStream();
    expect(await closed).toEqual({
      reason: 'The server ended its event stream',
      isWanted: false,
    });
  });

  it('reports a message the server does not take, and garbage it sends', async () => {
    const { opened, until, failures, problems } = await serve({
      opening: `${endpoint}${endpoint}data: {oops\n\ndata: ${'x'.repeat(2000)}\n\n`,
      onPost: ({ response }) => response.writeHead(400).end('bad session'),
      options: { limits: { message: { maxBytes: 1000, maxDepth: 200 } } },
    });
    const link = await opened;
    link.send(ask(1));
    link.send({ text: '{"jsonrpc":"2.0","method":"n"}' });
    await until(() => failures.has(1) && problems.length === 3);
    expect(failures.get(1)?.message).toContain('HTTP status 400 and "bad session"');
    expect(problems.sort()).toEqual([
      'rejected a notification',
      'sent a message larger than allowed',
      'sent an invalid JSON-RPC message',
    ]);
  });

  it('fails a message whose connection breaks', async () => {
    const { opened, until, failures } = await serve({
      onPost: ({ response }) => response.destroy(),
    });
    const link = await opened;
    link.send(ask(1));
    await until(() => failures.has(1));
    expect(failures.get(1)).toMatchObject({ code: 'fleet.exchange_broken' });
  });
});

describe('opening it is refused', () => {
  it.each([
    ['another origin', 'event: endpoint\ndata: http://elsewhere.invalid/\n\n', 'another origin'],
    ['no url', `event: endpoint\ndata: http://[\n\n`, 'another origin'],
    ['a huge place', `event: endpoint\ndata: /${'x'.repeat(9000)}\n\n`, 'another origin'],
  ])('when the server names %s', async (_what, opening, message) => {
    const { opened } = await serve({ opening });
    await expect(opened).rejects.toThrow(message);
    await expect(opened).rejects.toMatchObject({ code: 'fleet.invalid_endpoint' });
  });

  it('when the server names no endpoint in time', async () => {
    const { opened } = await serve({
      opening: ': hi\n\n',
      options: { limits: { headLimitMs: 50 } },
    });
    await expect(opened).rejects.toThrow('in time');
  });

  it('when the stream ends before', async () => {
    const { opened } = await serve({
      onGet: ({ response }) => {
        beginEvents(response);
        response.end();
      },
    });
    await expect(opened).rejects.toThrow('ended before it named its message endpoint');
  });

  it('when there is no stream', async () => {
    const missing = await serve({ onGet: ({ response }) => response.writeHead(404).end('none') });
    await expect(missing.opened).rejects.toMatchObject({ code: 'fleet.http_status', status: 404 });
    const html = await serve({ onGet: ({ response }) => response.end('<html>') });
    await expect(html.opened).rejects.toThrow('does not serve an event stream');
  });
});
