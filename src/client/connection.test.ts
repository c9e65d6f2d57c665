import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Secret } from '../kernel/index.ts';
import { Connection } from './connection.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function aServer(answer: Answer): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const connect = (url: string): Connection => new Connection({ url, token: new Secret('t0ken') });

describe('a connection', () => {
  it('gives the items of all pages, at most as many as wanted', async () => {
    const seen: string[] = [];
    const url = await aServer(({ url: path = '' }, response) => {
      seen.push(path);
      const isSecond = path.includes('cursor=c1');
      const items = isSecond ? [{ runId: 'c' }] : [{ runId: 'a' }, { runId: 'b' }];
      response.end(JSON.stringify({ items, nextCursor: isSecond ? null : 'c1' }));
    });
    const all = await connect(url).all('getRuns', { query: { status: ['failed', 'waiting'] } });
    expect(all.map(({ runId }) => runId)).toEqual(['a', 'b', 'c']);
    expect(seen[0]).toBe('/api/v1/runs?status=failed%2Cwaiting&limit=100');
    await connect(url).all('getRuns', {}, { limit: 2 });
    expect(seen).toHaveLength(3);
  });

  it('throws the code, message and details of the server, and a code of its own for other errors', async () => {
    const url = await aServer(({ url: path = '' }, response) => {
      response.statusCode = path.includes('missing') ? 404 : 502;
      const problem = {
        code: 'api.not_found',
        detail: 'There is no run',
        details: { kind: 'run' },
      };
      response.end(path.includes('missing') ? JSON.stringify(problem) : '<html>Bad gateway</html>');
    });
    const get = (id: string) => connect(url).call('getRunsById', { path: { id } });
    await expect(get('missing')).rejects.toMatchObject({
      code: 'api.not_found',
      message: 'There is no run',
      details: { kind: 'run' },
    });
    await expect(get('x')).rejects.toMatchObject({ code: 'client.request_failed' });
    await expect(connect('http://127.0.0.1:9').call('getHealth', {})).rejects.toMatchObject({
      code: 'client.server_unreachable',
    });
  });

  it('carries its token to its own address only: a redirect is refused', async () => {
    let reached = 0;
    const elsewhere = await aServer((_request, response) => {
      reached += 1;
      response.end('{}');
    });
    const url = await aServer((_request, response) => {
      response.writeHead(307, { location: `${elsewhere}/api/v1/health` }).end();
    });
    await expect(connect(url).call('getHealth', {})).rejects.toMatchObject({
      code: 'client.server_unreachable',
    });
    expect(reached).toBe(0);
    expect(() => connect('file:///etc/passwd')).toThrow('http');
  });

  it('goes on behind the last event where the stream of a run broke off', async () => {
    const asked: (string | undefined)[] = [];
    const url = await aServer(({ headers }, response) => {
      const last = headers['last-event-id'] as string | undefined;
      asked.push(last);
      if (last === '2') return void response.writeHead(204).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const id = last === undefined ? '1' : '2';
      response.write(
        `: hello\n\nid: ${id}\nevent: journal\ndata: {"a":\ndata: ${id}}\n\nid: 9\ndata: cut`,
      );
      setTimeout(() => response.destroy(), 50);
    });
    const events: unknown[] = [];
    const { signal } = new AbortController();
    for await (const event of connect(url).events('runs', 'r', signal)) events.push(event);
    expect(events).toEqual([
      { id: '1', event: 'journal', data: '{"a":\n1}' },
      { id: '2', event: 'journal', data: '{"a":\n2}' },
    ]);
    expect(asked).toEqual([undefined, '1', '2']);
  });
});
