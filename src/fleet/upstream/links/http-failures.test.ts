import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHttpLink, type HttpLink } from './http-link.ts';
import type { HttpLinkLimits } from './http-limits.ts';
import { respondJson } from '../../../../testkit/fleet/upstream/links/http-fixture.ts';
import {
  answerTo,
  ask,
  connect,
  notify,
  serve,
} from '../../../../testkit/fleet/upstream/links/http-probe.ts';
import { recordingListener } from '../../../../testkit/fleet/upstream/links/recording-listener.ts';

describe('a failure over HTTP', () => {
  it('with an error of the protocol is an answer, also when it does not name the request', async () => {
    const { link, until, received } = await serve(({ response }, { id }) => {
      const error = { code: -32_022, message: 'Unsupported version' };
      respondJson(response, { jsonrpc: '2.0', id: id === 1 ? 1 : null, error }, 400);
    });
    link.send(ask(1));
    link.send(ask(2));
    await until(() => received.length === 2);
    for (const { message, during } of received) {
      expect(message).toMatchObject({ kind: 'response', id: during, outcome: { error: {} } });
    }
  });

  it.each([
    [401, 'no', 'Check the credentials', false],
    [404, '<h1>Not\nfound</h1>', 'Check the url and the transport', false],
    [503, '', 'Try again later', true],
    [500, 'x'.repeat(200_000), "Check the server's log", false],
  ])(
    'with status %i says so, with an excerpt and what to do',
    async (status, body, advice, retryable) => {
      const { link, until, failures } = await serve(({ response }) => {
        response.writeHead(status).end(body);
      });
      link.send(ask(1));
      await until(() => failures.has(1));
      const error = failures.get(1);
      expect(error).toMatchObject({ code: 'fleet.http_status', status, retryable });
      expect(error?.message).toContain(advice);
      expect(error?.message.length).toBeLessThan(400);
    },
  );

  it.each([
    ['text/html', '<html>', 'neither JSON nor an event stream'],
    ['application/json', '{oops', 'contains no answer'],
    ['application/json', '{"jsonrpc":"2.0","id":99,"result":{}}', 'contains no answer'],
    ['application/json', '', 'contains no answer'],
  ])('of content (%s, %j) fails the request', async (type, body, problem) => {
    const { link, until, failures } = await serve(({ response }) => {
      response.writeHead(200, { 'content-type': type }).end(body);
    });
    link.send(ask(1));
    await until(() => failures.has(1));
    expect(failures.get(1)).toMatchObject({ code: 'fleet.bad_answer' });
    expect(failures.get(1)?.message).toContain(problem);
  });

  it.each(['application/json', 'text/event-stream'])(
    'by an endless body (%s) fails the request without holding it',
    async (type) => {
      const { link, until, failures } = await serve(
        ({ response }) => {
          response.writeHead(200, { 'content-type': type });
          response.write('data: {"jsonrpc":"2.0","id":1,"result":"');
          const more = (): void => {
            while (!response.destroyed && response.write(Buffer.alloc(65_536, 0x61)));
          };
          response.on('drain', more);
          more();
        },
        { limits: { message: { maxBytes: 1_000_000, maxDepth: 200 } } },
      );
      link.send(ask(1));
      await until(() => failures.has(1));
      expect(failures.get(1)).toMatchObject({ code: 'fleet.answer_too_large' });
    },
  );

  it('of a notification is a problem and no more', async () => {
    const { link, until, problems } = await serve(({ response }) => {
      response.writeHead(500).end();
    });
    link.send(notify('n'));
    await until(() => problems.length > 0);
    expect(problems).toEqual(['rejected a notification']);
  });

  it('by a redirect: followed within the origin, refused to another, with its address', async () => {
    const { link, until, resultOf, failures, server } = await serve(
      ({ path, response }, { id }) => {
        if (path === '/mcp') {
          const location =
            id === 1 ? '/mcp/' : id === 2 ? 'http://elsewhere.invalid/x?token=1' : '/mcp';
          response.writeHead(id === 4 ? 302 : 307, { location }).end();
        } else {
          respondJson(response, answerTo(id));
        }
      },
    );
    for (const id of [1, 2, 3, 4]) link.send(ask(id, 'tools/list'));
    await until(() => resultOf(1) !== undefined && failures.size === 3);
    expect(failures.get(2)).toMatchObject({ code: 'fleet.redirect_refused' });
    expect(failures.get(2)?.message).toContain('http://elsewhere.invalid/x, which');
    expect(failures.get(2)?.message).not.toContain('token');
    expect(server.seen.filter(({ body }) => body.includes('"id":3'))).toHaveLength(4);
  });

  it.each([301, 302, 303, 307, 308])(
    'by a redirect with %i of a tool call: that would send it a second time',
    async (status) => {
      const { link, until, failures, server } = await serve(({ response }) => {
        response.writeHead(status, { location: '/mcp' }).end();
      });
      link.send(ask(1));
      await until(() => failures.size === 1);
      expect(failures.get(1)).toMatchObject({ code: 'fleet.redirect_refused' });
      expect(server.seen).toHaveLength(1);
    },
  );

  it('by no redirect where an earlier request was redirected', async () => {
    const { link, until, resultOf, server } = await serve(({ path, response }, { id }) => {
      if (path === '/mcp') response.writeHead(307, { location: '/mcp/' }).end();
      else respondJson(response, answerTo(id));
    });
    link.send(ask(1, 'initialize'));
    await until(() => resultOf(1) !== undefined);
    link.send(ask(2));
    await until(() => resultOf(2) !== undefined);
    expect(server.seen.map(({ path }) => path)).toEqual(['/mcp', '/mcp/', '/mcp/']);
  });

  it('by a stream that cannot be resumed because the server is gone: the request was sent', async () => {
    const { link, until, failures, server } = await serve(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1\nretry: 1\ndata:\n\n');
    });
    link.send(ask(1));
    await expect.poll(() => server.seen.length).toBe(1);
    await server.close();
    await until(() => failures.size === 1);
    expect(failures.get(1)).toMatchObject({ code: 'fleet.exchange_broken' });
  });
});

describe('a server that cannot be spoken to', () => {
  async function rawServer(onSocket: (socket: Socket) => void): Promise<string> {
    const sockets = new Set<Socket>();
    const server: Server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      onSocket(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function failureOf(url: string, limits: Partial<HttpLinkLimits> = {}): Promise<Error> {
    const { link, until, failures } = await connect(url, { limits });
    link.send(ask(1));
    await until(() => failures.has(1));
    return failures.get(1) ?? new Error('none');
  }

  it('because nothing listens', async () => {
    const error = await failureOf('http://127.0.0.1:1/');
    expect(error).toMatchObject({ code: 'fleet.unreachable', retryable: true });
    expect(error.message).toContain('the connection was refused');
  });

  it('because its name is not known', async () => {
    const error = await failureOf('http://nobody.invalid/');
    expect(error).toMatchObject({ code: 'fleet.unreachable' });
    expect(error.message).toContain('host name');
  });

  it('because it does not speak TLS', async () => {
    const address = await rawServer((socket) => {
      socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    const error = await failureOf(`https://${address}/`);
    expect(error).toMatchObject({ code: 'fleet.unreachable' });
    expect(error.message).toContain('TLS');
  });

  it('because it never finishes the TLS handshake', async () => {
    const address = await rawServer(() => {});
    const error = await failureOf(`https://${address}/`, { connectLimitMs: 50 });
    expect(error.message).toContain('the connection timed out');
  });

  it('because it hangs up, or speaks no HTTP, or in huge headers', async () => {
    const hangsUp = await rawServer((socket) => socket.on('data', () => socket.destroy()));
    expect(await failureOf(`http://${hangsUp}/`)).toMatchObject({ code: 'fleet.exchange_broken' });
    const noHttp = await rawServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    expect((await failureOf(`http://${noHttp}/`)).message).toContain('it is not HTTP');
    const huge = await rawServer((socket) => {
      socket.on('data', () => socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`));
    });
    expect((await failureOf(`http://${huge}/`)).message).toContain(
      'response headers are too large',
    );
  });

  it('because a body breaks off', async () => {
    const half = await rawServer((socket) => {
      socket.on('data', () =>
        socket.end(
          'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{',
        ),
      );
    });
    expect((await failureOf(`http://${half}/`)).message).toContain('was truncated');
  });

  it('because it takes a notification and never responds', async () => {
    const silent = await rawServer(() => {});
    const { link, until, problems } = await connect(`http://${silent}/`, {
      limits: { headLimitMs: 50 },
    });
    link.send(notify('n'));
    await until(() => problems.length === 1);
    expect(problems).toEqual(['rejected a notification']);
  });

  it('because its entry makes no sense, without showing the value of a header', async () => {
    const { listener } = recordingListener();
    const open = async (url: string, headers: Record<string, string>): Promise<HttpLink> =>
      await openHttpLink({ name: 'probe', url, headers }, listener);
    await expect(open('ftp://x/', {})).rejects.toThrow('must begin with http: or https:');
    await expect(open('nonsense', {})).rejects.toMatchObject({ code: 'fleet.invalid_endpoint' });
    const bad = open('http://x/', { 'x-key': 's3cret\nvalue' });
    await expect(bad).rejects.toThrow('its header "x-key" contains characters');
    await expect(bad).rejects.not.toThrow('s3cret');
  });
});
