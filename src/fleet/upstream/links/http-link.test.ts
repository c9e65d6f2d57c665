import { describe, expect, it } from 'vitest';
import { SignalAbort } from '../../../kernel/index.ts';
import { SessionExpiredError } from '../../errors.ts';
import {
  beginEvents,
  respondJson,
  type SeenRequest,
} from '../../../../testkit/fleet/upstream/links/http-fixture.ts';
import {
  answerTo,
  ask,
  event,
  notify,
  progress,
  serve,
} from '../../../../testkit/fleet/upstream/links/http-probe.ts';

describe('a request over HTTP', () => {
  it('is posted with its headers, and answered by a JSON body', async () => {
    const { link, until, received, server } = await serve(
      ({ response }, { id }) =>
        respondJson(response, `{"jsonrpc":"2.0","id":${id},"result":{"n":1.0}}`),
      { headers: { Authorization: 'Bearer s3cret' } },
    );
    link.send({ ...ask(1), headers: { 'mcp-method': 'tools/call' } });
    await until(() => received.length === 1);
    expect(received[0]).toMatchObject({
      text: '{"jsonrpc":"2.0","id":1,"result":{"n":1.0}}',
      during: 1,
      message: { kind: 'response', id: 1 },
    });
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      headers: {
        authorization: 'Bearer s3cret',
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-method': 'tools/call',
      },
    });
    expect(server.seen[0]?.headers).not.toHaveProperty('mcp-session-id');
    expect(link.pid).toBeUndefined();
  });

  it('uses one connection again and again', async () => {
    const { link, until, received, server } = await serve(({ response }, { id }) => {
      if (id !== undefined && id % 2 === 0) {
        respondJson(response, answerTo(id));
        return;
      }
      beginEvents(response);
      response.end(event(answerTo(id)));
    });
    for (let id = 0; id < 20; id += 1) {
      link.send(ask(id));
      await until(() => received.length === id + 1);
    }
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  it('is answered by an event stream, whose messages belong to it, in order', async () => {
    const { link, until, received, resultOf } = await serve(({ response }, { id }) => {
      beginEvents(response);
      const text = `\uFEFF: hello\r\nid: 1\r\ndata:\r\n\r\n${event(progress(1))}event: other\ndata: x\n\n${event(progress(2))}data: {"jsonrpc":"2.0",\ndata: "id":${id},"result":{"text":"é漢"}}\n\n`;
      const bytes = Buffer.from(text);
      let at = 0;
      const next = (): void => {
        if (at >= bytes.length) response.end();
        else response.write(bytes.subarray(at, (at += 3)), () => setImmediate(next));
      };
      next();
    });
    link.send(ask(4));
    await until(() => resultOf(4) !== undefined);
    expect(resultOf(4)).toEqual({ text: 'é漢' });
    expect(received.map(({ during }) => during)).toEqual([4, 4, 4]);
  });

  it('may be answered by a batch', async () => {
    const { link, until, received } = await serve(({ response }, { id }) =>
      respondJson(response, [progress(1), answerTo(id)]),
    );
    link.send(ask(1));
    await until(() => received.length === 2);
    expect(received.map(({ message }) => message.kind)).toEqual(['notification', 'response']);
  });

  it('is ended by its signal, in silence', async () => {
    const closed = Promise.withResolvers<void>();
    const { link, failures, problems } = await serve(({ response }) => {
      response.on('close', () => closed.resolve());
      cancel.abort();
    });
    const cancel = new AbortController();
    link.send({ ...ask(1), abort: new SignalAbort(cancel.signal) });
    await closed.promise;
    link.send({ ...ask(2), abort: new SignalAbort(cancel.signal) });
    await link.close();
    expect(failures.size).toBe(0);
    expect(problems).toEqual([]);
  });

  it('that goes on after its answer is ended soon', async () => {
    const closed = Promise.withResolvers<void>();
    const { link, until, resultOf } = await serve(({ response }, { id }) => {
      response.on('close', () => closed.resolve());
      beginEvents(response);
      response.write(event(answerTo(id)));
    });
    link.send(ask(1));
    await until(() => resultOf(1) !== undefined);
    await expect(closed.promise).resolves.toBeUndefined();
  });
});

describe('the handshake era', () => {
  /** A server with sessions: `forget()` makes it forget them. */
  async function serveSessions(
    onGet: (request: SeenRequest) => void = ({ response }) => {
      response.writeHead(405).end();
    },
  ) {
    let sessions = 0;
    let current = '';
    const fixture = await serve((request, { id, method }) => {
      const { response, headers } = request;
      if (method === 'initialize') {
        current = `session-${(sessions += 1)}`;
        response.setHeader('mcp-session-id', current);
        respondJson(response, answerTo(id));
        return;
      }
      if (headers['mcp-session-id'] !== current) {
        respondJson(
          response,
          { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'x' } },
          404,
        );
        return;
      }
      if (request.method === 'GET') onGet(request);
      else if (id === undefined) response.writeHead(202).end();
      else respondJson(response, answerTo(id));
    });
    const shake = async (id: number): Promise<void> => {
      fixture.link.send(ask(id, 'initialize'));
      await fixture.until(() => fixture.resultOf(id) !== undefined);
      fixture.link.setProtocolVersion('2025-11-25');
      fixture.link.send(notify('notifications/initialized'));
      fixture.link.listen();
    };
    return { ...fixture, shake, forget: () => (current = 'gone') };
  }

  it('repeats session and version, posts in order behind the handshake, and ends the session', async () => {
    const { shake, link, until, resultOf, server, closed } = await serveSessions();
    await shake(1);
    link.send(ask(2));
    await until(() => resultOf(2) !== undefined);
    await link.close();
    await link.close();
    link.send(ask(3));
    expect(await closed).toEqual({ reason: 'The link was closed', isWanted: true });
    const posts = server.seen.filter(({ method }) => method !== 'GET');
    expect(posts.map(({ method, body }) => `${method} ${body.slice(0, 60)}`)).toEqual([
      'POST {"jsonrpc":"2.0","id":1,"method":"initialize"}',
      'POST {"jsonrpc":"2.0","method":"notifications/initialized"}',
      'POST {"jsonrpc":"2.0","id":2,"method":"tools/call"}',
      'DELETE ',
    ]);
    for (const { headers } of server.seen.slice(1)) {
      expect(headers).toMatchObject({
        'mcp-session-id': 'session-1',
        'mcp-protocol-version': '2025-11-25',
      });
    }
  });

  it('tells when the session has expired, and begins another', async () => {
    const { shake, link, until, resultOf, failures, forget } = await serveSessions();
    await shake(1);
    forget();
    link.send(ask(2));
    await until(() => failures.has(2));
    expect(failures.get(2)).toBeInstanceOf(SessionExpiredError);
    expect(failures.get(2)).toMatchObject({ code: 'fleet.session_expired', isCurrent: true });
    await shake(3);
    expect(link.sessionId).toBe('session-2');
    link.send(ask(4));
    await until(() => resultOf(4) !== undefined);
  });

  it('also understands servers that say 400 for a lost session', async () => {
    const { link, until, failures, resultOf } = await serve(({ response }, { id, method }) => {
      if (method === 'initialize') {
        response.setHeader('mcp-session-id', 'a');
        respondJson(response, answerTo(id));
        return;
      }
      const error = { code: -32_000, message: 'Bad Request: No valid session ID provided' };
      respondJson(response, { jsonrpc: '2.0', id: null, error }, 400);
    });
    link.send(ask(1, 'initialize'));
    await until(() => resultOf(1) !== undefined);
    link.send(ask(2));
    await until(() => failures.has(2));
    expect(failures.get(2)).toBeInstanceOf(SessionExpiredError);
  });

  it('listens for messages of no request, and again where the stream ended', async () => {
    const asked: (string | undefined)[] = [];
    const { shake, until, received, link } = await serveSessions(({ response, headers }) => {
      asked.push(headers['last-event-id'] as string | undefined);
      if (asked.length === 2) {
        response.writeHead(503).end();
        return;
      }
      beginEvents(response);
      response.write(event(progress(asked.length), `event-${asked.length}`));
      if (asked.length === 1) response.end('retry: 1\n\n');
    });
    await shake(1);
    await until(() => received.length === 3);
    expect(received[1]).toEqual({ message: received[1]?.message, text: received[1]?.text });
    expect(asked).toEqual([undefined, 'event-1', 'event-1']);
    await link.close();
  });
});

describe('a stream that breaks before the answer', () => {
  it('is resumed behind the last event that had an id, after the time the server asks for', async () => {
    const asked: unknown[] = [];
    const { link, until, received, resultOf } = await serve((request, { id }) => {
      const { response, method, headers } = request;
      beginEvents(response);
      if (method === 'POST') {
        response.write(`retry: 1\n${event(progress(1), 'one')}`, () => response.destroy());
        return;
      }
      asked.push(headers['last-event-id']);
      if (asked.length === 1) response.end(event(progress(2), 'two'));
      else response.end(event(answerTo(7, { id })));
    });
    link.send(ask(7));
    await until(() => resultOf(7) !== undefined);
    expect(asked).toEqual(['one', 'two']);
    expect(received.map(({ during }) => during)).toEqual([7, 7, 7]);
  });

  it('fails the request when it brings nothing new or is refused', async () => {
    const { link, until, failures } = await serve(({ response, method, body }) => {
      if (method === 'GET' && body === '') {
        beginEvents(response);
        response.end();
        return;
      }
      beginEvents(response);
      response.end('id: 1\nretry: 1\ndata:\n\n');
    });
    link.send(ask(1));
    await until(() => failures.has(1));
    expect(failures.get(1)).toMatchObject({ code: 'fleet.exchange_broken' });

    const refusing = await serve(({ response, method }) => {
      if (method === 'GET') {
        response.writeHead(405).end();
        return;
      }
      beginEvents(response);
      response.end('id: 1\nretry: 1\ndata:\n\n');
    });
    refusing.link.send(ask(1));
    await refusing.until(() => refusing.failures.has(1));
    expect(refusing.failures.get(1)?.message).toContain('could not be resumed');
  });

  it('fails the request at once when its events had no ids', async () => {
    const { link, until, failures, server } = await serve(({ response }) => {
      beginEvents(response);
      response.write(event(progress(1)), () => response.destroy());
    });
    link.send(ask(1));
    await until(() => failures.has(1));
    expect(failures.get(1)?.message).toBe(
      'Server "probe" did not respond: its event stream ended before the response. The request may or may not have been executed',
    );
    expect(server.seen).toHaveLength(1);
  });
});

it('closing ends everything that runs, without a word', async () => {
  const arrived = Promise.withResolvers<void>();
  const { link, closed, failures, received } = await serve(() => arrived.resolve());
  link.send(ask(1));
  await arrived.promise;
  await link.close();
  expect(await closed).toMatchObject({ isWanted: true });
  expect(failures.size + received.length).toBe(0);
});
