import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Browser } from '../../../testkit/fleet/login/a-browser.ts';
import { aProtectedServer } from '../../../testkit/fleet/login/a-protected-server.ts';
import {
  anAuthority,
  closeServer,
  listen,
  type AuthorityOptions,
} from '../../../testkit/fleet/login/an-authority.ts';
import { aLogins, aProtectedPlace } from '../../../testkit/fleet/login/logins-here.ts';
import { recordedLog, type LoggedLine } from '../../../testkit/observe/recorded-log.ts';
import type { LoginTarget } from './token-keeper.ts';

const caller = { id: 'local' };
const { signal } = new AbortController();

async function aPlace(options: AuthorityOptions = {}) {
  const place = await aProtectedPlace(options);
  onTestFinished(() => place.close());
  return place;
}

/** A login in which the browser does what `visit` says; resolves with its error. */
async function failedLogin(
  target: LoginTarget,
  visit: (url: string) => unknown = (url) => new Browser('ann').visit(url),
) {
  const lines: LoggedLine[] = [];
  const logins = aLogins({ limitMs: 10_000, log: recordedLog(lines) });
  const onUrl = (url: string): void => void visit(url);
  const error = await logins.login(target, { caller, onUrl, signal }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(await logins.authorizer(caller, target).header()).toBeUndefined();
  const shown = `${String(error)} ${JSON.stringify(error)} ${JSON.stringify(lines)}`;
  return { error, shown, logins };
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

describe('a hostile authorization server', () => {
  it('that presents the login page of an honest one gets no code of it', async () => {
    const redirects = { redirect_uris: ['http://127.0.0.1/callback'] };
    const client = { client_id: 'tutti', application_type: 'native', ...redirects };
    const honest = await anAuthority({
      clients: [
        {
          ...client,
          token_endpoint_auth_method: 'none',
          grant_types: ['authorization_code', 'refresh_token'],
        },
      ],
    });
    onTestFinished(() => honest.close());
    const stolen: string[] = [];
    const evil = createServer((request, response) => {
      if (request.url === '/token') void bodyOf(request).then((body) => stolen.push(String(body)));
      const metadata = {
        issuer: origin,
        authorization_endpoint: `${honest.issuer}/auth`,
        token_endpoint: `${origin}/token`,
        code_challenge_methods_supported: ['S256'],
      };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata));
    });
    const origin = await listen(evil);
    onTestFinished(() => closeServer(evil));
    const check = async () => undefined;
    const server = await aProtectedServer({ authority: { issuer: origin, check } });
    onTestFinished(() => server.close());
    const target = { server: 'notes', url: server.url, login: { clientId: 'tutti' } };
    const { error } = await failedLogin(target);
    expect(String(error)).toContain('it is not from the issuer that was asked');
    expect(stolen).toEqual([]);
    expect(honest.requests).toContain('GET /auth');
  });

  it('whose token endpoint redirects gets the code once, and no other address gets it', async () => {
    const stolen: string[] = [];
    const elsewhere = createServer((request, response) => {
      stolen.push(request.url ?? '');
      response.end();
    });
    const origin = await listen(elsewhere);
    onTestFinished(() => closeServer(elsewhere));
    const codes: string[] = [];
    const place = await aPlace({
      intercept: async (request, response) => {
        if (request.url !== '/token') return false;
        const body = await bodyOf(request);
        codes.push(body.get('code') ?? '', body.get('code_verifier') ?? '');
        response.writeHead(307, { location: `${origin}/token` }).end();
        return true;
      },
    });
    const { error, shown } = await failedLogin(place.target);
    expect(error).toMatchObject({ code: 'fleet.login_failed' });
    expect(stolen).toEqual([]);
    expect(codes).toHaveLength(2);
    for (const secret of codes) expect(shown).not.toContain(secret);
  });

  it.each([
    ['a token that would be two headers', { access_token: 'canary\r\nx-evil: 1' }],
    ['a token of another type', { access_token: 'canary', token_type: 'mac' }],
    ['a token that is no text', { access_token: { a: 'canary' } }],
    ['no token', {}],
    ['a scope that is no text', { access_token: 'canary', scope: ['canary'] }],
    ['an expiry that is no number', { access_token: 'canary', expires_in: 'canary' }],
    ['an id token that is none', { access_token: 'canary', id_token: 'canary' }],
  ])('that answers with %s is refused', async (_what, answer) => {
    const place = await aPlace({
      intercept: (request, response) => {
        if (request.url !== '/token') return false;
        const text = JSON.stringify({ token_type: 'Bearer', ...answer });
        response.setHeader('content-type', 'application/json').end(text);
        return true;
      },
    });
    const { error, shown } = await failedLogin(place.target);
    expect(error).toMatchObject({ code: 'fleet.login_failed' });
    expect(shown).not.toContain('canary');
  });

  it('that registers us as something else is refused', async () => {
    const place = await aPlace({
      intercept: (request, response) => {
        if (request.url !== '/reg') return false;
        response.writeHead(201, { 'content-type': 'application/json' }).end('{"client_id":[]}');
        return true;
      },
    });
    const { error } = await failedLogin(place.target);
    expect(String(error)).toContain('did not register Tutti as a client');
  });

  it('whose tokens are for another audience ends calls after a limited number of requests', async () => {
    const place = await aPlace();
    const other = await aProtectedServer({
      authority: { issuer: place.authority.issuer, check: async () => undefined },
    });
    onTestFinished(() => other.close());
    const logins = aLogins();
    const target = { server: 'notes', url: other.url };
    const onUrl = (url: string): void => void new Browser('ann').visit(url);
    await logins.login(target, { caller, onUrl, signal });
    const authorizer = logins.authorizer(caller, target);
    const before = place.authority.requests.length;
    for (let attempt = 0; ; attempt += 1) {
      const sent = await authorizer.header();
      const refused = { status: 401, challenge: 'Bearer error="invalid_token"', sent, attempt };
      const retry = authorizer.mayRetry(refused);
      if (attempt === 0) expect(await retry).toBe(true);
      else {
        await expect(retry).rejects.toMatchObject({ code: 'fleet.login_required' });
        break;
      }
    }
    expect(place.authority.requests.length - before).toBeLessThan(5);
  });
});

describe('an authorization response', () => {
  it('counts once, also when it arrives many times at once', async () => {
    const place = await aPlace();
    const logins = aLogins();
    const pages: Promise<Response[]>[] = [];
    const onUrl = async (url: string): Promise<void> => {
      // Stops where the authority sends the browser back to us, then goes there ten times.
      const browser = new Browser('ann', { until: /127\.0\.0\.1:\d+\/callback/ });
      const { url: back } = await browser.visit(url);
      pages.push(
        Promise.all(
          Array.from({ length: 10 }, () =>
            fetch(back).catch(() => new Response(null, { status: 400 })),
          ),
        ),
      );
    };
    await logins.login(place.target, { caller, onUrl: (url) => void onUrl(url), signal });
    const statuses = (await pages[0])?.map(({ status }) => status) ?? [];
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(place.authority.requests.filter((it) => it === 'POST /token')).toHaveLength(1);
  });

  it.each([
    ['an unknown state', { state: 'guessed', code: 'x' }],
    ['no state', { code: 'x' }],
    ['a script', { state: '<script>alert(1)</script>', error: '<script>alert(1)</script>' }],
  ])('with %s changes nothing, and the login goes on', async (_what, parameters) => {
    const place = await aPlace();
    const logins = aLogins();
    const texts: string[] = [];
    const onUrl = async (url: string): Promise<void> => {
      const back = new URL(new URL(url).searchParams.get('redirect_uri') ?? '');
      back.search = new URLSearchParams(parameters).toString();
      const page = await fetch(back);
      texts.push(`${page.status} ${await page.text()}`);
      await new Browser('ann').visit(url);
    };
    const login = logins.login(place.target, { caller, onUrl: (url) => void onUrl(url), signal });
    expect(await login).toMatchObject({ state: 'active' });
    expect(texts[0]).toMatch(/^400 /);
    expect(texts[0]).not.toContain('<script>');
  });

  it('for another host name, path or method is not read', async () => {
    const place = await aPlace();
    const logins = aLogins();
    const statuses: number[] = [];
    const onUrl = async (url: string): Promise<void> => {
      const sent = new URL(url).searchParams;
      const back = new URL(sent.get('redirect_uri') ?? '');
      const { port } = back;
      const state = sent.get('state') ?? '';
      const query = `?state=${encodeURIComponent(state)}&error=access_denied`;
      const others = [
        fetch(`http://localhost:${port}/callback${query}`),
        fetch(`http://127.0.0.1:${port}/other${query}`),
        fetch(`http://127.0.0.1:${port}/callback${query}`, { method: 'POST' }),
      ];
      for (const response of await Promise.all(others)) statuses.push(response.status);
      await new Browser('ann').visit(url);
    };
    const login = logins.login(place.target, { caller, onUrl: (url) => void onUrl(url), signal });
    expect(await login).toMatchObject({ state: 'active' });
    expect(statuses).toEqual([404, 404, 404]);
  });
});
