import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { fetchChecked, type CheckedRequest, type ResolveHost } from './fetch-checked.ts';

interface Victim {
  readonly port: number;
  readonly requests: IncomingMessage[];
}

/** A service on loopback that remembers what reached it. */
async function aVictim(answer: RequestListener = (_request, response) => response.end('secret')) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, requests } satisfies Victim;
}

const names: Readonly<Record<string, readonly string[]>> = {
  'inside.example': ['10.1.2.3'],
  'loopback.example': ['127.0.0.1'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'six.example': ['::1'],
  'metadata.google.internal': ['169.254.169.254'],
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1', '::1'],
  'service.ours': ['127.0.0.1'],
};

const resolveHost: ResolveHost = async (hostname) => names[hostname] ?? ['10.9.9.9'];

async function problemOf(url: string, request: CheckedRequest = {}): Promise<string> {
  const given = { resolveHost, limits: { totalMs: 2_000 }, ...request };
  const error: unknown = await fetchChecked(url, given).catch((thrown: unknown) => thrown);
  return error instanceof Error && 'code' in error
    ? `${String(error.code)}: ${error.message}`
    : String(error);
}

/** `PORT` is that of the victim. */
const tricks: readonly string[] = [
  // Spellings of 127.0.0.1.
  'http://127.0.0.1:PORT/',
  'http://127.1:PORT/',
  'http://127.0.1:PORT/',
  'http://127.9.9.9:PORT/',
  'http://2130706433:PORT/',
  'http://017700000001:PORT/',
  'http://0x7f000001:PORT/',
  'http://0x7f.0x0.0x0.0x1:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://0177.0.0.0x1:PORT/',
  'http://127.0.0.1.:PORT/',
  'http://0x7f.1:PORT/',
  'http://00000177.1:PORT/',
  'http://１２７.０.０.１:PORT/',
  'http://127。0。0。1:PORT/',
  'http://①②⑦.⓪.⓪.①:PORT/',
  'http://0:PORT/',
  'http://0.0.0.0:PORT/',
  'http://00:PORT/',
  'http://0x0:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  'http://127.0.0.1%2e:PORT/',
  'HTTP://127.0.0.1:PORT/',
  // IPv6.
  'http://[::1]:PORT/',
  'http://[::]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://[64:ff9b::7f00:1]:PORT/',
  'http://[2002:7f00:1::]:PORT/',
  'http://[fe80::1]:PORT/',
  'http://[fd00:ec2::254]/',
  'http://[::ffff:169.254.169.254]/',
  'http://[ff02::1]:PORT/',
  // Metadata and private networks.
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://169.254.43518/',
  'http://100.100.100.200/',
  'http://168.63.129.16/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://metadata.google.internal/',
  'http://100.64.0.1/',
  'http://255.255.255.255/',
  // Names.
  'http://localhost:PORT/',
  'http://LOCALHOST:PORT/',
  'http://localhost.:PORT/',
  'http://inside.example/',
  'http://loopback.example:PORT/',
  'http://mixed.example:PORT/',
  'http://mapped.example:PORT/',
  'http://six.example:PORT/',
  'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/',
  // A host that is not the one it seems to be.
  'http://public.example@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT@public.example/',
  'http://127.0.0.1:PORT#@public.example/',
  'http://127.0.0.1:PORT?@public.example/',
  'http://127.0.0.1:PORT\\@public.example/',
  'http:127.0.0.1:PORT/',
  'http:\\\\127.0.0.1:PORT',
  'http:///127.0.0.1:PORT/',
  'http://\t127.0.0.1:PORT/',
  ' http://127.0.0.1:PORT/ ',
  // Other schemes, and no URL.
  'file:///etc/passwd',
  'ftp://127.0.0.1/',
  'gopher://127.0.0.1:PORT/_x',
  'data:text/plain,x',
  'dict://127.0.0.1:PORT/',
  'blob:http://127.0.0.1:PORT/x',
  'javascript:1',
  '//127.0.0.1/',
  '',
  'unix:/var/run/docker.sock',
  'http://unix:/var/run/docker.sock:/x',
  'ws://127.0.0.1:PORT/',
];

it(`refuses ${tricks.length} URLs that lead inwards, and none of them reaches a service on loopback`, async () => {
  const { port, requests } = await aVictim();
  expect(tricks.length).toBeGreaterThanOrEqual(60);
  for (const trick of tricks) {
    const url = trick.replace('PORT', String(port));
    expect(await problemOf(url), trick).toMatch(/^http\.fetch_refused: /);
  }
  expect(requests).toEqual([]);
});

it('refuses the same URLs as targets of redirects', async () => {
  const { port, requests } = await aVictim();
  let location = '';
  const door = await aVictim((_request, response) => response.writeHead(302, { location }).end());
  const origin = `http://service.ours:${door.port}`;
  for (const trick of tricks.filter((one) => /^http:\/\/[^/]/.test(one))) {
    location = encodeURI(trick.replace('PORT', String(port))).replaceAll('%25', '%');
    const problem = await problemOf(`${origin}/`, { trustedOrigins: [origin] });
    expect(problem, trick).toMatch(/^http\.fetch_refused: /);
  }
  expect(requests).toEqual([]);
});

it('reaches a host of the settings wherever it is, at the address that was resolved, once', async () => {
  const { port, requests } = await aVictim();
  let lookups = 0;
  const origin = `http://rebinding.invalid:${port}`;
  const response = await fetchChecked(`${origin}/a?b=1`, {
    trustedOrigins: [origin],
    // Only this stub knows the name, and its second answer would lead nowhere.
    resolveHost: async () => (++lookups === 1 ? ['127.0.0.1'] : ['192.0.2.1']),
    headers: { authorization: 'Bearer t' },
  });
  expect([response.status, await response.text(), lookups]).toEqual([200, 'secret', 1]);
  expect(requests[0]?.headers).toMatchObject({
    host: `rebinding.invalid:${port}`,
    authorization: 'Bearer t',
  });
});

it('resolves a name again for each redirect, and refuses when it has become private', async () => {
  const { port, requests } = await aVictim((_request, response) =>
    response.writeHead(307, { location: `http://rebinding.invalid:${port}/next` }).end(),
  );
  const origin = `http://service.ours:${port}`;
  const problem = await problemOf(`${origin}/`, {
    trustedOrigins: [origin],
    resolveHost: async () => ['127.0.0.1'],
  });
  expect(problem).toContain('http.fetch_refused');
  expect(requests.length).toBe(1);
});

it('keeps credentials and bodies from other origins', async () => {
  const other = await aVictim();
  const door = await aVictim((request, response) => {
    const status = request.method === 'POST' ? 307 : 302;
    response.writeHead(status, { location: `http://service.ours:${other.port}/` }).end();
  });
  const origin = `http://service.ours:${door.port}`;
  const trustedOrigins = [origin, `http://service.ours:${other.port}`];
  const secrets = { authorization: 'Bearer t', cookie: 'a=b', 'x-api-key': 'k', accept: 'a/b' };
  await fetchChecked(origin, { trustedOrigins, resolveHost, headers: secrets });
  const { headers } = other.requests[0] ?? {};
  expect(headers).toMatchObject({ accept: 'a/b' });
  for (const name of ['authorization', 'cookie', 'x-api-key'])
    expect(headers).not.toHaveProperty(name);
  const posted = await problemOf(origin, {
    trustedOrigins,
    method: 'POST',
    body: 'client_secret=s',
  });
  expect(posted).toContain('its body was redirected to another origin');
  expect(other.requests.length).toBe(1);
});

it('limits redirects, size and time, and does not unpack', async () => {
  const { port } = await aVictim((request, response) => {
    if (request.url === '/loop') response.writeHead(302, { location: '/loop' }).end();
    else if (request.url === '/large') response.end(Buffer.alloc(5_000));
    else if (request.url === '/packed')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
    else if (request.url === '/drip') response.write('a');
  });
  const origin = `http://service.ours:${port}`;
  const limits = { maxBytes: 4_096, totalMs: 300 };
  const problem = (path: string): Promise<string> =>
    problemOf(origin + path, { trustedOrigins: [origin], limits });
  expect(await problem('/loop')).toContain('more than 3 redirects');
  expect(await problem('/large')).toContain('larger than 4096 bytes');
  expect(await problem('/packed')).toContain('compressed');
  expect(await problem('/drip')).toContain('no answer within 300 ms');
  expect(await problem('/silent')).toContain('no answer within 300 ms');
});

it('ends with the reason of the signal, also while a name is being resolved', async () => {
  const left = new AbortController();
  const resolving = fetchChecked('http://slow.example/', {
    signal: left.signal,
    resolveHost: () => new Promise(() => {}),
  });
  left.abort(new Error('the caller left'));
  await expect(resolving).rejects.toThrow('the caller left');
});

it('sends forms and gives redirects as they are where asked to, as OAuth libraries do', async () => {
  const { port, requests } = await aVictim((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { location: '/x' }).end();
    else request.pipe(response);
  });
  const origin = `http://service.ours:${port}`;
  const given = { trustedOrigins: [origin], resolveHost, redirect: 'manual' } as const;
  const body = new URLSearchParams({ code: 'a b' });
  const answer = await fetchChecked(`${origin}/token`, { ...given, method: 'POST', body });
  expect(await answer.text()).toBe('code=a+b');
  expect(requests[0]?.headers['content-type']).toContain('application/x-www-form-urlencoded');
  const moved = await fetchChecked(`${origin}/moved`, given);
  expect([moved.status, moved.headers.get('location')]).toEqual([302, '/x']);
});
