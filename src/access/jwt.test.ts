import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHmac } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { fetchChecked } from '../http/index.ts';
import { Secret, silentLog } from '../kernel/index.ts';
import { createVerifyJwt, type JwtOptions, type VerifyJwt } from './jwt.ts';

const issuer = 'https://login.example';
const resource = 'https://tutti.example/mcp';
const secretText = 'a secret of at least thirty-two bytes';
const nowMs = Date.parse('2026-06-01T00:00:00Z');
const now = nowMs / 1_000;

const claims = {
  user: 'sub',
  tenant: 'tenant',
  role: 'role',
  scope: 'scope',
  defaultRole: 'viewer',
  toolPrefix: 'tool:',
  defaultTools: ['*'],
} as const;

function verifier(options: Partial<JwtOptions>): VerifyJwt {
  return createVerifyJwt({
    issuer,
    audience: [resource],
    algorithms: ['RS256'],
    clockSkewSeconds: 30,
    claims,
    clock: { now: () => nowMs },
    log: silentLog,
    fetchKeys: (url, { headers, signal }) =>
      fetchChecked(url, {
        headers,
        signal,
        redirect: 'manual',
        trustedOrigins: [new URL(url).origin],
        limits: { maxBytes: 262_144 },
      }),
    ...options,
  });
}

const good: JWTPayload = {
  iss: issuer,
  aud: resource,
  sub: 'alice',
  tenant: 'acme',
  role: 'developer',
  scope: 'openid tool:code.* tool:docs.*',
  iat: now,
  exp: now + 300,
};

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;
let pair: KeyPair;
let other: KeyPair;
let jwksText: string;

async function publicKey({ publicKey: key }: KeyPair, more: object = {}): Promise<object> {
  return { ...(await exportJWK(key)), alg: 'RS256', use: 'sig', kid: 'one', ...more };
}

beforeAll(async () => {
  pair = await generateKeyPair('RS256');
  other = await generateKeyPair('RS256');
  jwksText = JSON.stringify({ keys: [await publicKey(pair)] });
});

function sign(payload: JWTPayload, key: KeyPair['privateKey'] = pair.privateKey, header = {}) {
  return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(key);
}

const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** A token whose header and signature are made by hand. */
function forge(header: object, payload: object, signature: (input: string) => string): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${signature(input)}`;
}

const hmac =
  (key: string) =>
  (input: string): string =>
    createHmac('sha256', key).update(input).digest('base64url');

describe('a token of the issuer', () => {
  it('becomes a caller: tenant, user, role and tools from its claims', async () => {
    const verify = verifier({ jwksText });
    expect(await verify(await sign(good))).toEqual({
      id: 'acme/alice',
      tenant: 'acme',
      role: 'developer',
      scopes: ['code.*', 'docs.*'],
      credential: expect.stringMatching(/^jwt:[0-9a-f]{16}$/),
      credentialEndsAtMs: (now + 330) * 1_000,
    });
    const plain = await verify(await sign({ ...good, scope: 'openid', role: undefined }));
    expect(plain).toMatchObject({ role: 'viewer' });
    expect(plain).not.toHaveProperty('scopes');
    const many = { ...good, role: ['staff', 'viewer', 'admin'], scope: ['tool:a.*'] };
    expect(await verify(await sign(many))).toMatchObject({ role: 'admin', scopes: ['a.*'] });
    const narrow = verifier({ jwksText, claims: { ...claims, defaultTools: [] } });
    expect(await narrow(await sign({ ...good, scope: '' }))).toMatchObject({ scopes: [] });
    const nested = verifier({ jwksText, claims: { ...claims, role: 'realm_access.roles' } });
    const realm = { ...good, realm_access: { roles: ['operator'] } };
    expect(await nested(await sign(realm))).toMatchObject({ role: 'operator' });
  });

  it.each(['HS256', 'ES256', 'EdDSA', 'PS256'])(
    'is verified by %s where that is pinned',
    async (alg) => {
      if (alg === 'HS256') {
        const verify = verifier({ secret: new Secret(secretText), algorithms: [alg] });
        const token = forge({ alg }, good, hmac(secretText));
        expect(await verify(token)).toMatchObject({ id: 'acme/alice' });
        expect(
          await verify(forge({ alg }, good, hmac('another secret of thirty-two bytes'))),
        ).toBeUndefined();
        return;
      }
      const keys = await generateKeyPair(alg);
      const text = JSON.stringify({ keys: [await publicKey(keys, { alg })] });
      const verify = verifier({ jwksText: text, algorithms: [alg] });
      expect(await verify(await sign(good, keys.privateKey, { alg }))).toMatchObject({
        tenant: 'acme',
      });
      expect(await verify(await sign(good))).toBeUndefined();
    },
  );
});

describe('a token is refused', () => {
  const payloads: readonly (readonly [string, Record<string, unknown>])[] = [
    ['of another issuer', { iss: 'https://evil.example' }],
    ['of an issuer that begins the same', { iss: `${issuer}.evil.example` }],
    ['without issuer', { iss: undefined }],
    ['for another audience', { aud: 'https://other.example/mcp' }],
    ['for the origin only', { aud: 'https://tutti.example' }],
    ['without audience', { aud: undefined }],
    ['expired', { exp: now - 31 }],
    ['without expiry', { exp: undefined }],
    ['not yet valid', { nbf: now + 31 }],
    ['with a text as expiry', { exp: '9999999999' }],
    ['without user', { sub: undefined }],
    ['with a user that is a path', { sub: '../bob' }],
    ['with a user of another tenant', { sub: 'other/bob' }],
    ['with a line break in the user', { sub: 'bob\nadmin' }],
    ['with a number as user', { sub: 7 }],
    ['without tenant', { tenant: undefined }],
    ['with a tenant that is a path', { tenant: 'acme/bob' }],
    ['with an unknown role', { role: 'root' }],
    ['with an object as role', { role: { admin: true } }],
    ['with an inherited name as role', { role: 'constructor' }],
  ];

  it.each(payloads)('%s', async (_what, changes) => {
    const verify = verifier({ jwksText });
    expect(await verify(await sign({ ...good, ...changes }))).toBeUndefined();
  });

  it('whose header chooses the algorithm', async () => {
    const verify = verifier({ jwksText });
    const pem = await exportSPKI(pair.publicKey);
    const text = JSON.stringify(await exportJWK(pair.publicKey));
    for (const token of [
      forge({ alg: 'none' }, good, () => ''),
      forge({ alg: 'None' }, good, () => ''),
      forge({ alg: 'nOnE', kid: 'one' }, good, () => 'AAAA'),
      // The public key taken for the secret of an HMAC.
      forge({ alg: 'HS256', kid: 'one' }, good, hmac(pem)),
      forge({ alg: 'HS256' }, good, hmac(text)),
      forge({ alg: 'HS256' }, good, hmac('')),
      forge({ alg: 'RS256', kid: 'one' }, good, hmac(pem)),
      forge({ alg: 'RS256', kid: 'one' }, good, () => ''),
      forge({ kid: 'one' }, good, () => ''),
      forge({ alg: ['RS256'] }, good, () => 'AAAA'),
    ]) {
      expect(await verify(token)).toBeUndefined();
    }
    const shared = verifier({ secret: new Secret(secretText), algorithms: ['HS256'] });
    expect(await shared(forge({ alg: 'none' }, good, () => ''))).toBeUndefined();
    expect(await shared(await sign(good))).toBeUndefined();
  });

  it('whose header names or brings another key', async () => {
    const verify = verifier({ jwksText });
    const own = await exportJWK(other.publicKey);
    for (const header of [
      {},
      { kid: 'two' },
      { kid: '../../../../dev/null' },
      { kid: '/etc/passwd' },
      { kid: "' OR 1=1 --" },
      { kid: 'http://127.0.0.1:1/keys' },
      { kid: '__proto__' },
      { jwk: own },
      { jku: 'http://127.0.0.1:1/keys' },
      { x5u: 'http://127.0.0.1:1/keys' },
    ]) {
      expect(await verify(await sign(good, other.privateKey, header))).toBeUndefined();
    }
  });

  it.each([
    '',
    '.',
    '..',
    'a.b.c',
    'a.b.c.d.e',
    'null',
    '{}',
    `${encode({ alg: 'RS256' })}.${encode(null)}.AAAA`,
    `${encode([])}.${encode([])}.`,
    'e30.e30.e30',
    '\u0000.\u0000.\u0000',
  ])('that is no token: %j', async (token) => {
    expect(await verifier({ jwksText })(token)).toBeUndefined();
  });

  it('that was changed in any part', async () => {
    const verify = verifier({ jwksText });
    const token = await sign(good);
    const [head = '', , signature = ''] = token.split('.');
    expect(
      await verify(`${head}.${encode({ ...good, role: 'owner' })}.${signature}`),
    ).toBeUndefined();
    expect(await verify(`${token.slice(0, -8)}AAAAAAAA`)).toBeUndefined();
  });
});

describe('the key set of the issuer', () => {
  async function serveKeys(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  }

  it('is fetched once for many tokens', async () => {
    let requests = 0;
    const jwksUrl = await serveKeys((_request, response) => {
      requests += 1;
      response.end(jwksText);
    });
    const verify = verifier({ jwksUrl });
    for (let count = 0; count < 5; count += 1) {
      expect(await verify(await sign({ ...good, jti: String(count) }))).toBeDefined();
    }
    // An unknown key is looked up anew, but not for every token that names one.
    for (let count = 0; count < 5; count += 1) {
      expect(
        await verify(await sign(good, other.privateKey, { kid: `x${count}` })),
      ).toBeUndefined();
    }
    expect(requests).toBe(1);
  });

  it('is refused when it is too large, too slow, elsewhere or no key set', async () => {
    const real = await serveKeys((_request, response) => response.end(jwksText));
    const token = await sign(good);
    expect(await verifier({ jwksUrl: real })(token)).toBeDefined();
    for (const listener of [
      (_request, response) => response.writeHead(302, { location: real }).end(),
      (_request, response) => response.end(jwksText.replace('{', `{"x":"${'x'.repeat(300_000)}",`)),
      (_request, response) => response.end('<html>'),
      (_request, response) => response.writeHead(500).end(jwksText),
      (request) => request.socket.destroy(),
      // Never answers.
      () => {},
      (_request, response) => response.write('{"keys":'),
    ] satisfies RequestListener[]) {
      const jwksUrl = await serveKeys(listener);
      expect(await verifier({ jwksUrl, fetchTimeoutMs: 200 })(token)).toBeUndefined();
    }
  });
});

describe('options that do not fit', () => {
  it.each<Partial<JwtOptions>>([
    {},
    { jwksText: '{}', secret: new Secret(secretText) },
    { jwksText: '{}', algorithms: ['HS256'] },
    { jwksText: '{}', algorithms: ['none'] },
    { jwksText: '{}', algorithms: [] },
    { jwksText: '{}', audience: [] },
    { secret: new Secret(secretText), algorithms: ['RS256'] },
    { secret: new Secret(secretText), algorithms: ['HS256', 'none'] },
    { secret: new Secret('short'), algorithms: ['HS256'] },
    { jwksUrl: 'http://login.example/keys' },
  ])('are refused at the start', (options) => {
    expect(() => verifier(options)).toThrow(
      expect.objectContaining({ code: 'access.invalid_settings' }),
    );
  });
});
