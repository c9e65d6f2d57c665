import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localCaller, type Caller } from '../contract/caller/index.ts';
import { Secret, silentLog } from '../kernel/index.ts';
import { createIdentify, type IdentityOptions } from './identity.ts';
import { startListener } from './listener.ts';
import { RequestLimits } from './request-limits.ts';

const anna: Caller = { id: 'acme/anna', tenant: 'acme', role: 'viewer', credential: 'key:1' };

interface Served {
  /** Sends a GET with these raw header lines and gives what comes back, without dates. */
  readonly send: (...lines: readonly string[]) => Promise<string>;
  readonly drop: () => number;
}

async function serve(
  options: Partial<IdentityOptions> = {},
  limits?: RequestLimits,
): Promise<Served> {
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    routes: [
      {
        path: '/',
        methods: ['GET'],
        access: 'caller',
        handle: ({ response, request }, caller) => {
          if (request.headers['x-wait'] === undefined) response.end(`caller ${caller.id}`);
          return undefined;
        },
      },
    ],
    identify: createIdentify({
      token: new Secret('s3cret'),
      caller: localCaller,
      verify: (token, { isKnownOnly }) =>
        token === 'good' || (token === 'slow' && !isKnownOnly) ? anna : undefined,
      ...(limits && { loginLimit: limits.login }),
      ...options,
    }),
    isAuthenticated: true,
    requestLimits: limits,
    log: silentLog,
  });
  onTestFinished(() => listener.close());
  return {
    send: (...lines) => exchange(listener.port, lines),
    drop: () => listener.dropCallers(({ role }) => role !== undefined),
  };
}

function exchange(port: number, lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(text.replace(/^date: .*\r\n/im, '')));
    socket.on('error', reject);
    const head = ['GET / HTTP/1.1', 'Host: localhost', 'Connection: close', ...lines];
    socket.write(Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'));
  });
}

const malformed = [
  ['Authorization:'],
  ['Authorization: Bearer'],
  ['Authorization: Bearer '],
  ['Authorization: bad'],
  ['Authorization: good'],
  ['Authorization: Basic Z29vZDo='],
  ['Authorization: Basic good'],
  ['Authorization: Token good'],
  ['Authorization: BearerX good'],
  ['Authorization: Bearer good good'],
  ['Authorization: Bearer good, Bearer good'],
  ['Authorization: Bearer "good"'],
  ['Authorization: Bearer good;'],
  ['Authorization: Bearer go\u00f6d'],
  ['Authorization: Bearer wrong'],
  ['Authorization: Bearer GOOD'],
  [`Authorization: Bearer ${'x'.repeat(12_000)}`],
  ['Authorization: Bearer undefined'],
  ['Authorization: Bearer null'],
];

describe('identity', () => {
  it('accepts exactly one bearer token: the own one, or one that is verified', async () => {
    const { send } = await serve();
    expect(await send('Authorization: Bearer s3cret')).toContain('caller local');
    expect(await send('authorization: bearer good')).toContain('caller acme/anna');
    const missing = await send();
    expect(missing).toContain('HTTP/1.1 401');
    expect(missing).toContain('www-authenticate: Bearer realm="tutti"\r\n');
  });

  it.each(malformed)('gives one and the same answer to %s', async (...lines) => {
    const { send } = await serve();
    const expected = await send('Authorization: Bearer nonsense');
    expect(expected).toContain('HTTP/1.1 401');
    expect(expected).toContain('error="invalid_token"');
    expect(await send(...lines)).toBe(expected);
  });

  it.each([
    ['Authorization: Bearer good', 'Authorization: Bearer good'],
    ['Authorization: Bearer good', 'authorization: Bearer wrong'],
    ['Authorization: Bearer wrong', 'AUTHORIZATION: Bearer good'],
    ['Authorization:', 'Authorization: Bearer good'],
  ])('refuses two headers before it looks at either: %s, %s', async (...lines) => {
    const { send } = await serve();
    expect(await send(...lines)).toContain('HTTP/1.1 400');
  });

  it('refuses what is presented also where nothing need be presented', async () => {
    const { send } = await serve({ token: undefined, isOpen: true });
    expect(await send()).toContain('caller local');
    for (const lines of malformed) expect(await send(...lines)).toContain('HTTP/1.1 401');
  });

  it('says where a token is to be had', async () => {
    const { send } = await serve({ challenge: 'resource_metadata="https://a/b", scope="tool:*"' });
    expect(await send()).toContain(
      'Bearer realm="tutti", resource_metadata="https://a/b", scope="tool:*"',
    );
  });
});

describe('limits of callers', () => {
  const clock = { ms: 1_000_000, now: () => clock.ms };
  const options = {
    perSecond: 1,
    burst: 3,
    addressPerSecond: 100,
    addressBurst: 100,
    maxInFlight: 2,
    failedLoginsPerMinute: 4,
    clock,
  };

  it('refuse requests beyond the rate with 429 and the time to wait, not those of the own user', async () => {
    const { send } = await serve({}, new RequestLimits(options));
    const ask = (): Promise<string> => send('Authorization: Bearer good');
    for (let count = 0; count < 3; count += 1) expect(await ask()).toContain('200 OK');
    const refused = await ask();
    expect(refused).toContain('HTTP/1.1 429');
    expect(refused).toContain('retry-after: 1');
    expect(await send('Authorization: Bearer s3cret')).toContain('200 OK');
    clock.ms += 1_000;
    expect(await ask()).toContain('200 OK');
    expect(await ask()).toContain('HTTP/1.1 429');
  });

  it('refuse unknown tokens unread after too many failures, and go on serving known ones', async () => {
    const { send } = await serve({}, new RequestLimits({ ...options, burst: 100 }));
    for (let count = 0; count < 4; count += 1) {
      expect(await send('Authorization: Bearer wrong')).toContain('HTTP/1.1 401');
    }
    const refused = await send('Authorization: Bearer slow');
    expect(refused).toContain('HTTP/1.1 429');
    expect(refused).toContain('retry-after: 15');
    expect(await send('Authorization: Bearer good')).toContain('200 OK');
    expect(await send('Authorization: Bearer s3cret')).toContain('200 OK');
    clock.ms += 15_000;
    expect(await send('Authorization: Bearer slow')).toContain('200 OK');
  });

  it('bound the requests that run at once, and losing access ends them', async () => {
    const { send, drop } = await serve({}, new RequestLimits({ ...options, burst: 100 }));
    const waiting = [1, 2].map(() => send('Authorization: Bearer good', 'X-Wait: 1'));
    const local = send('Authorization: Bearer s3cret', 'X-Wait: 1');
    let third = '';
    while (!third.includes('429')) third = await send('Authorization: Bearer good');
    expect(drop()).toBe(2);
    expect(await Promise.all(waiting)).toEqual(['', '']);
    expect(await send('Authorization: Bearer good')).toContain('200 OK');
    expect(drop()).toBe(0);
    void local.catch(() => '');
  });
});
