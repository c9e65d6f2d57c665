import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Browser } from '../../../testkit/fleet/login/a-browser.ts';
import { aLogins, aProtectedPlace, logInAs } from '../../../testkit/fleet/login/logins-here.ts';
import { createMemoryLoginStore } from '../../../testkit/fleet/login/memory-login-store.ts';
import { Secret } from '../../kernel/index.ts';

const caller = { id: 'local' };
const { signal } = new AbortController();

describe('logins', () => {
  let place: Awaited<ReturnType<typeof aProtectedPlace>>;
  beforeAll(async () => {
    place = await aProtectedPlace();
  });
  afterAll(() => place.close());

  it('give a caller the token of its account, and no other caller any', async () => {
    const logins = aLogins();
    const status = await logInAs(logins, place.target, { callerId: 'acme/ann', account: 'ann' });
    expect(status).toMatchObject({ state: 'active', scopes: ['read'], isRenewable: true });
    const header = await logins.authorizer({ id: 'acme/ann' }, place.target).header();
    const token = header?.replace('Bearer ', '') ?? '';
    expect(await place.authority.check(token, place.server.url)).toMatchObject({ account: 'ann' });
    expect(await logins.authorizer({ id: 'acme/bob' }, place.target).header()).toBeUndefined();
    expect(await logins.authorizer(caller, place.target).header()).toBeUndefined();
  });

  it.each([
    ['another url', { url: 'https://evil.example/mcp' }],
    ['another query', { url: '?tenant=2' }],
    ['another entry', { server: 'copied' }],
  ])('send no token to %s', async (_what, change) => {
    const logins = aLogins();
    await logInAs(logins, place.target);
    const url = 'url' in change ? new URL(change.url, place.target.url).href : place.target.url;
    const target = { ...place.target, ...change, url };
    expect(await logins.authorizer(caller, target).header()).toBeUndefined();
    expect(await logins.status(caller, target)).toBeNull();
    expect(await logins.authorizer(caller, place.target).header()).toBeDefined();
  });

  it('cannot be read with another key', async () => {
    const store = createMemoryLoginStore();
    await logInAs(aLogins({ store }), place.target);
    const other = aLogins({
      store,
      secrets: () => [new Secret('another key that is long enough')],
    });
    expect(await other.authorizer(caller, place.target).header()).toBeUndefined();
  });

  it('end with a logout, which revokes the tokens at the authority', async () => {
    const logins = aLogins();
    await logInAs(logins, place.target);
    const token = (await logins.authorizer(caller, place.target).header())?.slice(7) ?? '';
    expect(await logins.logout('notes', caller)).toEqual({ isDone: true, isRevoked: true });
    expect(await place.authority.check(token, place.server.url)).toBeUndefined();
    expect(await logins.authorizer(caller, place.target).header()).toBeUndefined();
    expect(await logins.logout('notes', caller)).toEqual({ isDone: false, isRevoked: false });
  });

  it('are renewed by one of many requests of two processes, and each gets the new token', async () => {
    const store = createMemoryLoginStore();
    const [one, two] = [aLogins({ store }), aLogins({ store })];
    await logInAs(one, place.target);
    const before = place.authority.requests.length;
    const first = await one.authorizer(caller, place.target).header();
    const refused = {
      status: 401,
      challenge: 'Bearer error="invalid_token"',
      sent: first,
      attempt: 0,
    };
    const renewals = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? one : two).authorizer(caller, place.target).mayRetry(refused),
    );
    expect(new Set(await Promise.all(renewals))).toEqual(new Set([true]));
    const sent = place.authority.requests.slice(before).filter((it) => it === 'POST /token');
    expect(sent).toHaveLength(1);
    const headers = [one, two].map((it) => it.authorizer(caller, place.target).header());
    const [next, same] = await Promise.all(headers);
    expect(next).not.toBe(first);
    expect(same).toBe(next);
  });

  it('ask for a login again when the user revoked it at the authority, and show that', async () => {
    const [store, copy] = [createMemoryLoginStore(), createMemoryLoginStore()];
    const logins = aLogins({ store });
    await logInAs(logins, place.target);
    const authorizer = logins.authorizer(caller, place.target);
    const sent = await authorizer.header();
    const record = await store.find({ callerId: 'local', server: 'notes' });
    if (record) await copy.put(record);
    await aLogins({ store: copy }).logout('notes', caller);
    const refused = { status: 401, challenge: 'Bearer', sent, attempt: 0 };
    const code = 'fleet.login_required';
    await expect(authorizer.mayRetry(refused)).rejects.toMatchObject({ code });
    expect(await logins.status(caller, place.target)).toMatchObject({ state: 'revoked' });
    expect(await authorizer.header()).toBeUndefined();
  });

  it('ask for what a call needs more, and keep what was granted', async () => {
    const logins = aLogins();
    await logInAs(logins, place.target);
    const authorizer = logins.authorizer(caller, place.target);
    const challenge = 'Bearer error="insufficient_scope", scope="write"';
    const refused = { status: 403, challenge, sent: await authorizer.header(), attempt: 0 };
    const required = await authorizer.mayRetry(refused).catch((error) => error);
    expect(required).toMatchObject({
      code: 'fleet.login_required',
      details: { scopes: ['write'] },
    });
  });

  it('leave a refusal alone that is not about a login', async () => {
    const authorizer = aLogins().authorizer(caller, place.target);
    const refused = { challenge: undefined, sent: undefined, attempt: 0 };
    expect(await authorizer.mayRetry({ ...refused, status: 401 })).toBe(false);
    expect(await authorizer.mayRetry({ ...refused, status: 403 })).toBe(false);
  });

  it('time out, and free their port', async () => {
    const logins = aLogins({ limitMs: 50 });
    let opened = '';
    const onUrl = (url: string): void => {
      opened = new URL(url).searchParams.get('redirect_uri') ?? '';
    };
    const login = logins.login(place.target, { caller, onUrl, signal });
    await expect(login).rejects.toThrow('the browser did not come back in time');
    expect(opened).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  });

  it('show the page of the authority as it is, and escape what it says', async () => {
    const logins = aLogins();
    let page: Promise<Response> | undefined;
    const onUrl = (url: string): void => {
      const sent = new URL(url).searchParams;
      const back = new URL(sent.get('redirect_uri') ?? '');
      const attack = '"><script>alert(1)</script>';
      for (const [name, value] of Object.entries({
        state: sent.get('state') ?? '',
        iss: place.authority.issuer,
        error: attack,
        error_description: attack,
      }))
        back.searchParams.set(name, value);
      page = fetch(back);
    };
    const login = logins.login(place.target, { caller, onUrl, signal });
    await expect(login).rejects.toMatchObject({ code: 'fleet.login_failed' });
    const response = await page;
    expect(await response?.text()).not.toContain('<script>');
    expect(response?.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

it('exchange a configured token where the entry says so, without a browser', async () => {
  const exchanged: URLSearchParams[] = [];
  const place = await aProtectedPlace({
    intercept: async (request, response) => {
      if (request.url !== '/token') return false;
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      exchanged.push(new URLSearchParams(Buffer.concat(chunks).toString()));
      const answer = { access_token: `t${exchanged.length}`, token_type: 'Bearer', expires_in: 60 };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      return true;
    },
  });
  onTestFinished(() => place.close());
  const exchange = {
    subjectToken: new Secret('workload-identity'),
    subjectTokenType: 'urn:ietf:params:oauth:token-type:jwt',
    actorToken: new Secret('tutti-itself'),
  };
  const target = { ...place.target, login: { clientId: 'tutti', exchange } };
  const authorizer = aLogins().authorizer(caller, target);
  expect(await authorizer.header()).toBe('Bearer t1');
  expect(await authorizer.header()).toBe('Bearer t1');
  expect(Object.fromEntries(exchanged[0] ?? [])).toMatchObject({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: 'workload-identity',
    subject_token_type: exchange.subjectTokenType,
    actor_token: 'tutti-itself',
    actor_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    resource: place.server.url,
    client_id: 'tutti',
  });
  const refused = { status: 401, challenge: 'Bearer', sent: 'Bearer t1', attempt: 0 };
  expect(await authorizer.mayRetry(refused)).toBe(true);
  expect(await authorizer.header()).toBe('Bearer t2');
});

it('renew a token before it expires without a wait, and after it with one', async () => {
  const place = await aProtectedPlace({ tokenSeconds: 100 });
  onTestFinished(() => place.close());
  let aheadMs = 0;
  const logins = aLogins({ clock: { now: () => Date.now() + aheadMs } });
  await logInAs(logins, place.target);
  const authorizer = logins.authorizer(caller, place.target);
  const first = await authorizer.header();
  aheadMs = 79_000;
  expect(await authorizer.header()).toBe(first);
  aheadMs = 85_000;
  expect(await authorizer.header()).toBe(first);
  await expect.poll(() => authorizer.header()).not.toBe(first);
  const second = await authorizer.header();
  aheadMs = 300_000;
  expect(await authorizer.header()).not.toBe(second);
});

describe('a login through our listener', () => {
  it('belongs to the browser that confirmed for whom it is, once', async () => {
    const place = await aProtectedPlace();
    onTestFinished(() => place.close());
    const base = 'https://tutti.example';
    const logins = aLogins({ callbackBase: () => base });
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
    const context = { caller: { id: 'acme/ann' }, signal, meta: {}, progress: () => {}, client };
    const authorizer = logins.authorizer(context.caller, place.target);
    const refused = { status: 401, challenge: 'Bearer', sent: undefined, attempt: 0 };
    const required = await authorizer.mayRetry(refused).catch((error) => error);
    const login = logins.obtain(context, place.target, required);

    const start = new URL(await asked.promise);
    expect(start.origin).toBe(base);
    const answer = (method: string, url: URL, cookie?: string) =>
      logins.answerBrowser({ method, path: url.pathname, query: url.searchParams, cookie });
    const page = await answer('GET', start);
    expect(page.body).toContain('acme/ann');
    const confirmed = await answer('POST', start);
    expect(confirmed.status).toBe(303);
    const cookie = confirmed.headers['set-cookie']?.split(';')[0] ?? '';
    expect(confirmed.headers['set-cookie']).toMatch(/HttpOnly; SameSite=Lax; Secure$/);

    // The authority sends the browser back to a host that is not there.
    const browser = new Browser('ann');
    await browser.visit(confirmed.headers['location'] ?? '').catch(() => {});
    const back = new URL(browser.history.at(-1) ?? '');
    expect(back.origin).toBe(base);
    expect((await answer('GET', back)).status).toBe(400);
    expect((await answer('GET', back, cookie.replace(/=.*/, '=guessed'))).status).toBe(400);
    expect((await answer('GET', back, cookie)).status).toBe(200);
    expect((await answer('GET', back, cookie)).status).toBe(400);
    await login;
    expect(await authorizer.header()).toMatch(/^Bearer /);
    expect((await answer('GET', start)).status).toBe(400);
  });
});
