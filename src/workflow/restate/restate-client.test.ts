import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { examineRestate, RestateClient } from './restate-client.ts';

/** Answers every request alike, by its path. */
async function aServer(answer: (path: string) => { status: number; body: unknown }) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    seen.push(`${request.method} ${path}`);
    const { status, body } = answer(path);
    response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return { url, seen, address: { ingressUrl: `${url}/`, adminUrl: url, requestMs: 2_000 } };
}

const submission = { runId: 'r', round: 0, recorded: 0, limitMs: null };

it('hands a run over under its key, and says when there is no worker', async () => {
  const { address, seen } = await aServer((path) =>
    path.includes('there')
      ? { status: 202, body: { invocationId: 'inv_1' } }
      : { status: 404, body: {} },
  );
  const client = new RestateClient(address);
  expect(await client.submit('there.1', submission)).toBe('inv_1');
  expect(await client.submit('a/b', submission)).toBeUndefined();
  expect(seen).toEqual(['POST /tutti-run/there.1/run/send', 'POST /tutti-run/a%2Fb/run/send']);
});

it('tells a refusal that may pass from one that stays', async () => {
  const { address, url } = await aServer((path) => ({
    status: path.includes('busy') ? 503 : 400,
    body: { message: 'no' },
  }));
  const client = new RestateClient(address);
  await expect(client.cancel('busy')).rejects.toMatchObject({
    code: 'workflow.restate_refused',
    retryable: true,
    message: `Restate at ${url} refused, so the cancellation of run busy was not done: 503 {"message":"no"}`,
  });
  await expect(client.signal('a', 'go', 1)).rejects.toMatchObject({ retryable: false });
});

it('says what to do when nobody answers', async () => {
  const address = {
    ingressUrl: 'http://127.0.0.1:9',
    adminUrl: 'http://127.0.0.1:9',
    requestMs: 500,
  };
  const client = new RestateClient(address);
  await expect(client.checkIngress('the start of a run')).rejects.toMatchObject({
    code: 'workflow.restate_unreachable',
    message: expect.stringMatching(/the start of a run was not done: .*--engine embedded/),
  });
  expect(await examineRestate(address)).toMatchObject({ isHealthy: false });
});

it('finds out that the workers do not answer', async () => {
  const uri = 'http://127.0.0.1:9/';
  const { address } = await aServer((path) => {
    if (path === '/version') return { status: 200, body: { version: '1.7.12' } };
    if (path === '/deployments') {
      return { status: 200, body: { deployments: [{ id: 'dp_1', uri, services: [] }] } };
    }
    return { status: 200, body: { deployment_id: 'dp_1' } };
  });
  const health = await examineRestate(address);
  expect(health).toMatchObject({ isHealthy: false, fix: expect.stringContaining('tutti worker') });
  expect(health.message).toContain(`no answer from ${uri}`);
});

it('finds no worker at an address that is none', async () => {
  const { address } = await aServer((path) => {
    if (path === '/version') return { status: 200, body: { version: '1.7.12' } };
    if (path === '/deployments') return { status: 200, body: { deployments: [] } };
    return { status: 200, body: { deployment_id: 'dp_1' } };
  });
  expect(await examineRestate(address)).toMatchObject({ isHealthy: false });
});
