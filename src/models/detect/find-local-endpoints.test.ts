import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chooseModel, type EndpointCandidate, findLocalEndpoints } from './find-local-endpoints.ts';

async function aServer(body: string, status = 200): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // A server that listens on TCP has such an address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const candidate = (name: string, origin: string): EndpointCandidate => ({
  name,
  provider: 'openai',
  origin,
});

const list = (...ids: string[]): string =>
  JSON.stringify({ object: 'list', data: ids.map((id) => ({ id, object: 'model' })) });

describe('looking for models on this machine', () => {
  it('finds who lists models, and nobody else', async () => {
    const candidates = [
      candidate('good', await aServer(list('qwen2.5-coder:7b', 'nomic-embed-text'))),
      candidate('page', await aServer('<html>It works!</html>')),
      candidate('other', await aServer('{"data": [{"id": "x"}]}')),
      candidate('empty', await aServer(list())),
      candidate('locked', await aServer(list('secret'), 401)),
      candidate('huge', await aServer(list('x'.repeat(1_100_000)))),
      candidate('nobody', 'http://127.0.0.1:9'),
    ];
    const found = await findLocalEndpoints({ candidates, signal: new AbortController().signal });
    expect(found).toEqual([
      {
        name: 'good',
        provider: 'openai',
        url: `${candidates[0]?.origin}/v1`,
        models: ['qwen2.5-coder:7b', 'nomic-embed-text'],
        owner: process.platform === 'linux' ? `uid:${process.geteuid?.()}` : 'unknown',
      },
    ]);
  });

  it('gives one up that does not answer', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => server.closeAllConnections());
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { signal } = new AbortController();
    const candidates = [candidate('silent', origin)];
    expect(await findLocalEndpoints({ candidates, signal })).toEqual([]);
    server.close();
  });
});

describe('choosing one of them', () => {
  const models = ['nomic-embed-text', 'mistral:7b-instruct', 'starcoder2:7b', 'qwen2.5-coder:7b'];

  it('takes for each role what was made for it', () => {
    expect(chooseModel(models, 'agent')).toBe('mistral:7b-instruct');
    expect(chooseModel(models, 'code')).toBe('qwen2.5-coder:7b');
  });

  it('takes the first where none stands out, and none where all are for other things', () => {
    expect(chooseModel(['a', 'b'], 'agent')).toBe('a');
    expect(chooseModel(['nomic-embed-text'], 'code')).toBeNull();
  });
});
