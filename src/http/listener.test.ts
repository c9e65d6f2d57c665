import { expect, it, onTestFinished } from 'vitest';
import { Secret, silentLog, type Log } from '../kernel/index.ts';
import {
  createIdentify,
  readJsonBody,
  respondJson,
  startListener,
  type HttpExchange,
  type ListenerOptions,
  type Route,
} from './index.ts';

const anna = { id: 'anna' };

function answer({ response, params }: HttpExchange, body: object): undefined {
  respondJson(response, { status: 200, text: JSON.stringify({ ...params, ...body }) });
}

const routes: readonly Route[] = [
  {
    path: '/runs/:id',
    methods: ['GET'],
    access: 'caller',
    handle: (exchange, caller) => answer(exchange, { caller: caller.id }),
  },
  {
    path: '/probe',
    methods: ['GET'],
    access: 'open',
    handle: (exchange, caller) => answer(exchange, { caller: caller?.id ?? 'unknown' }),
  },
  {
    path: '/echo',
    methods: ['POST'],
    access: 'caller',
    handle: async (exchange) => {
      const refusals = ({ status, message }: { status: number; message: string }) => ({
        status,
        text: JSON.stringify({ refused: message }),
      });
      const body = await readJsonBody(exchange, { maxBytes: 10, refusals });
      if (body) respondJson(exchange.response, { status: 200, text: body.toString() });
    },
  },
  {
    path: '/broken',
    methods: ['GET'],
    access: 'open',
    handle: () => {
      throw new Error('a bug');
    },
  },
];

async function aListener(options: Partial<ListenerOptions> = {}): Promise<string> {
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    routes,
    identify: createIdentify({ token: new Secret('s3cret'), caller: anna }),
    isAuthenticated: true,
    log: silentLog,
    ...options,
  });
  onTestFinished(() => listener.close());
  return listener.url;
}

const authorization = 'Bearer s3cret';

it('passes path parameters and the caller of the token to the handler', async () => {
  const url = await aListener();
  const response = await fetch(`${url}/runs/r%201?x=1`, { headers: { authorization } });
  expect(await response.json()).toEqual({ id: 'r 1', caller: 'anna' });
});

it.each([undefined, 'Bearer other', 'Basic s3cret', 'Bearer s3cret x'])(
  'refuses a route that needs a caller with Authorization %s',
  async (given) => {
    const url = await aListener();
    const headers = given === undefined ? {} : { authorization: given };
    const response = await fetch(`${url}/runs/1`, { headers });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('Bearer realm="tutti"');
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const open = await fetch(`${url}/probe`, { headers });
    expect(await open.json()).toEqual({ caller: 'unknown' });
  },
);

it('waits for an identity that takes time', async () => {
  const identify = async () => ({ kind: 'caller', caller: { id: 'slow' } }) as const;
  const url = await aListener({ identify });
  expect(await (await fetch(`${url}/runs/1`)).json()).toMatchObject({ caller: 'slow' });
});

it('answers 404 for unknown paths, and 405 with the methods of known ones', async () => {
  const url = await aListener();
  expect((await fetch(`${url}/nope`)).status).toBe(404);
  const response = await fetch(`${url}/probe`, { method: 'POST' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
});

it('refuses bodies that are too large or not JSON in the format of the route', async () => {
  const url = await aListener();
  const post = (body: string, type: string): Promise<Response> =>
    fetch(`${url}/echo`, {
      method: 'POST',
      body,
      headers: { authorization, 'content-type': type },
    });
  expect(await (await post('{"a":1}', 'application/json')).json()).toEqual({ a: 1 });
  const large = await post('{"a":123456}', 'application/json');
  expect([large.status, await large.json()]).toEqual([
    413,
    { refused: 'The request is larger than 10 bytes' },
  ]);
  expect((await post('a', 'text/plain')).status).toBe(415);
});

it('turns an exception of a handler into a 500 and one log entry', async () => {
  const logged: string[] = [];
  const log: Log = { ...silentLog, error: (message) => void logged.push(message) };
  const url = await aListener({ log });
  expect((await fetch(`${url}/broken`)).status).toBe(500);
  expect((await fetch(`${url}/probe`)).status).toBe(200);
  expect(logged).toEqual(['http request failed unexpectedly']);
});

it('does not bind beyond loopback without authentication', async () => {
  const start = aListener({ host: '0.0.0.0', isAuthenticated: false });
  await expect(start).rejects.toMatchObject({ code: 'gateway.open_bind_refused' });
});
