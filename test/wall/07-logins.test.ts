import { createServer, type Server } from 'node:http';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Browser } from '../../testkit/fleet/login/a-browser.ts';
import { aLogins, aProtectedPlace } from '../../testkit/fleet/login/logins-here.ts';
import { fetchChecked } from '../../src/http/index.ts';
import { aWall } from '../support/wall/a-wall.ts';

/** Class 7: logins to remote servers. */
const port = 28_000 + (process.pid % 10_000);
const origin = `http://127.0.0.1:${port}`;
const wall = aWall({ settings: { mcpServers: { hostile: { url: `${origin}/mcp` } } } });

/** A server that asks for a login, and its authority, in one; the test says where people are sent. */
let metadata: object = {};
let hostile: Server;

beforeAll(async () => {
  hostile = createServer((request, response) => {
    const url = request.url ?? '';
    response.setHeader('content-type', 'application/json');
    if (url.includes('oauth-protected-resource')) {
      const resource = `${origin}/mcp`;
      response.end(JSON.stringify({ resource, authorization_servers: [origin] }));
    } else if (url.includes('.well-known')) {
      response.end(
        JSON.stringify({
          issuer: origin,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          code_challenge_methods_supported: ['S256'],
          response_types_supported: ['code'],
          ...metadata,
        }),
      );
    } else if (url === '/register') {
      response.writeHead(201).end(JSON.stringify({ client_id: 'us', redirect_uris: [] }));
    } else {
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end('{}');
    }
  });
  await new Promise<void>((resolve) => {
    hostile.listen(port, '127.0.0.1', resolve);
  });
});

afterAll(() => hostile.close());

it.each([
  'a:$(touch pwned)',
  'file:///bin/sh?$(touch pwned)',
  'javascript:alert(1)',
  'ms-settings:x&touch pwned',
  'http://evil.example/`touch pwned`',
  '-a https://evil.example/;touch pwned',
  'data:text/html,<script>1</script>',
])('opens no page at %j that an authority names (CVE-2025-6514)', async (address) => {
  metadata = { authorization_endpoint: address };
  const { exitCode, output } = await wall.cli('servers', 'login', 'hostile', '--no-browser');
  expect(exitCode, output).not.toBe(0);
  expect(output).not.toMatch(/^(?:http|file|javascript|data|a:|ms-|-a)/m);
  expect(existsSync(join(wall.project, 'pwned'))).toBe(false);
});

it.each(['?code=x&state=y', '?error=access_denied', '?code=x', '?state=y', ''])(
  'takes no authorization response %j that nobody waits for (CVE-2026-9810)',
  async (query) => {
    const paths = ['/login/callback', '/oauth/callback', '/callback'];
    for (const path of paths) {
      const { status } = await wall.http({ path: `${path}${query}` });
      expect([400, 404]).toContain(status);
    }
    const { output } = await wall.cli('servers', '--json');
    expect(output).not.toContain('"loggedIn":true');
  },
);

/** A login for `acme/ann` that was begun over MCP, and the page at which it goes on. */
async function aLoginThroughUs(options: Partial<Parameters<typeof aLogins>[0]> = {}) {
  const place = await aProtectedPlace();
  onTestFinished(() => place.close());
  const base = 'https://tutti.example';
  const logins = aLogins({ callbackBase: () => base, ...options });
  const asked = Promise.withResolvers<string>();
  const client = {
    id: 'c',
    era: 'handshake' as const,
    capabilities: { elicitation: { url: {} } },
    ask: async (request: { params: Readonly<Record<string, unknown>> }) => {
      asked.resolve(String(request.params['url']));
      return { action: 'accept' };
    },
    notify: () => {},
  };
  const ended = new AbortController();
  const { signal } = ended;
  const context = { caller: { id: 'acme/ann' }, signal, meta: {}, progress: () => {}, client };
  const authorizer = logins.authorizer(context.caller, place.target);
  const refused = { status: 401, challenge: 'Bearer', sent: undefined, attempt: 0 };
  const required = await authorizer.mayRetry(refused).catch((error) => error);
  const login = logins.obtain(context, place.target, required);
  login.catch(() => {});
  onTestFinished(() => ended.abort());
  const start = new URL(await asked.promise);
  const answer = (method: string, url: URL, cookie?: string) =>
    logins.answerBrowser({ method, path: url.pathname, query: url.searchParams, cookie });
  return { place, logins, start, answer, authorizer, login };
}

describe('a login through our listener', () => {
  it('names the person it is for, and begins with a click and not with a link (CVE-2026-27124)', async () => {
    const { start, answer, place } = await aLoginThroughUs();
    const page = await answer('GET', start);
    expect(page.status).toBe(200);
    expect(page.headers['location']).toBeUndefined();
    expect(page.body).toContain('acme/ann');
    expect(page.body).toContain(new URL(place.authority.issuer).host);
  });

  it('ends in the browser that confirmed it, and in no other (CVE-2026-65594)', async () => {
    const { start, answer, authorizer } = await aLoginThroughUs();
    const confirmed = await answer('POST', start);
    const victim = new Browser('victim');
    await victim.visit(confirmed.headers['location'] ?? '').catch(() => {});
    const back = new URL(victim.history.at(-1) ?? '');
    expect((await answer('GET', back)).status).toBe(400);
    expect((await answer('GET', back, 'tutti_login=guessed')).status).toBe(400);
    expect(await authorizer.header()).toBeUndefined();
  });

  it('sends a code to the authority once, however often it is replayed at once and later (CVE-2026-53518)', async () => {
    let exchanges = 0;
    const fetch: typeof fetchChecked = (url, request) => {
      if (String(request?.body ?? '').includes('code=')) exchanges += 1;
      return fetchChecked(url, request);
    };
    const { start, answer, authorizer, login } = await aLoginThroughUs({ fetch });
    const confirmed = await answer('POST', start);
    const cookie = confirmed.headers['set-cookie']?.split(';')[0] ?? '';
    const browser = new Browser('ann');
    await browser.visit(confirmed.headers['location'] ?? '').catch(() => {});
    const back = new URL(browser.history.at(-1) ?? '');
    const replays = Array.from(
      { length: 5 },
      async () => (await answer('GET', back, cookie)).status,
    );
    expect((await Promise.all(replays)).toSorted((one, other) => one - other)).toEqual([
      200, 400, 400, 400, 400,
    ]);
    await login;
    expect((await answer('GET', back, cookie)).status).toBe(400);
    expect(exchanges).toBe(1);
    expect(await authorizer.header()).toMatch(/^Bearer /);
  });

  it('gives the account of one caller to no other (GHSA-c2jp-c369-7pvx)', async () => {
    const { start, answer, authorizer, login, logins, place } = await aLoginThroughUs();
    const confirmed = await answer('POST', start);
    const cookie = confirmed.headers['set-cookie']?.split(';')[0] ?? '';
    const browser = new Browser('ann');
    await browser.visit(confirmed.headers['location'] ?? '').catch(() => {});
    await answer('GET', new URL(browser.history.at(-1) ?? ''), cookie);
    await login;
    expect(await authorizer.header()).toMatch(/^Bearer /);
    for (const id of ['acme/bob', 'zeta/ann', 'acme/ann ', 'ann', 'local']) {
      expect(await logins.authorizer({ id }, place.target).header()).toBeUndefined();
    }
  });
});

it('shows no consent page to an authority that could stand between (GHSA-6x8h-498w-gv8c)', async () => {
  // Without `iss` in its responses, another authority could have this one answer for it.
  metadata = {
    authorization_endpoint: `${origin}/authorize`,
    client_id_metadata_document_supported: true,
    registration_endpoint: undefined,
  };
  const { exitCode, output } = await wall.cli('servers', 'login', 'hostile', '--no-browser');
  expect(exitCode, output).not.toBe(0);
  expect(output).toContain('does not register clients by itself');
  expect(output).not.toContain(`${origin}/authorize`);
});
