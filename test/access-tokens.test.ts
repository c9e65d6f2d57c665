import { generateKeyPair, exportJWK, SignJWT, type JWTPayload } from 'jose';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSystem } from '../src/compose/index.ts';
import { localCaller } from '../src/contract/caller/index.ts';
import { aService, type AService } from '../testkit/access/a-service.ts';

const resource = 'https://tutti.example/mcp';
const pair = await generateKeyPair('ES256');
const jwk = { ...(await exportJWK(pair.publicKey)), alg: 'ES256', kid: 'k1' };
const issuerServer = createServer((_request, response) =>
  response.end(JSON.stringify({ keys: [jwk] })),
);
/** Within the rate limit. */
const waiting = { timeout: 10_000, interval: 500 };
let issuer: string;
let service: AService;

function token(claims: JWTPayload = {}, seconds = 300): Promise<string> {
  const payload = { tenant: 'acme', role: 'developer', ...claims };
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .setIssuer(issuer)
    .setAudience(resource)
    .setSubject('alice')
    .setExpirationTime(`${seconds}s`)
    .sign(pair.privateKey);
}

beforeAll(async () => {
  await new Promise<void>((resolve) => issuerServer.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(issuerServer.address() as AddressInfo).port}`;
  const jwt = { issuer, jwks_url: `${issuer}/keys`, algorithms: ['ES256'], clock_skew_seconds: 0 };
  const rate_limit = { per_second: 5, burst: 20, failed_logins_per_minute: 10 };
  service = await aService({ identity: { resource, jwt }, server: { rate_limit } });
});

afterAll(async () => {
  await service.close();
  issuerServer.close();
});

describe('tokens of an issuer', () => {
  it('are accepted over both eras, with the tools their scopes name', async () => {
    const client = service.client(await token({ scope: 'openid tool:beta.*' }));
    for (const era of ['2025-11-25', '2026-07-28'] as const) {
      // A list never waits for a server that has not been asked yet.
      await vi.waitFor(async () => {
        const listed = await client.ask(era, 'tools/list');
        expect(listed.result.tools?.map(({ name }) => name)).toEqual(['beta__echo']);
      }, waiting);
    }
    const call = await client.stateless('tools/call', { name: 'beta__echo', arguments: { a: 1 } });
    expect(call.errorCode).toBe('');
    const sent = service.beta.received.join('\n');
    expect(sent).toContain('tools/call');
    expect(sent).not.toContain('eyJ');
  });

  it('end a stream at their expiry, and with their tenant at once', async () => {
    const accept = { accept: 'text/event-stream' };
    const short = service.client(await token({ sub: 'x' }, 2));
    const stream = await short.fetch('/sse', { headers: accept });
    expect(stream.status).toBe(200);
    const begun = Date.now();
    await expect(stream.text()).rejects.toThrow('terminated');
    expect(Date.now() - begun).toBeLessThan(5_000);
    expect((await short.stateless('tools/list')).status).toBe(401);
    const long = service.client(await token({ tenant: 'gone' }));
    const second = await long.fetch('/sse', { headers: accept });
    await service.system.tenants.setDisabled(localCaller, 'gone', true);
    await expect(second.text()).rejects.toThrow('terminated');
    expect((await long.stateless('tools/list')).status).toBe(401);
  });
});

describe('OAuth clients', () => {
  it('are led from a refusal to the metadata, and from there to the issuer', async () => {
    const refused = await service.client(undefined).stateless('tools/list');
    expect(refused.status).toBe(401);
    const challenge = refused.headers.get('www-authenticate');
    const metadataUrl = 'https://tutti.example/.well-known/oauth-protected-resource/mcp';
    expect(challenge).toBe(
      `Bearer realm="tutti", resource_metadata="${metadataUrl}", scope="tool:*"`,
    );
    for (const path of ['', '/mcp']) {
      const answer = await fetch(`${service.url}/.well-known/oauth-protected-resource${path}`);
      expect(await answer.json()).toEqual({
        resource,
        authorization_servers: [issuer],
        scopes_supported: ['tool:*'],
        bearer_methods_supported: ['header'],
        resource_name: 'Tutti',
      });
    }
  });
});

describe('limits', () => {
  it('answer 429 with Retry-After: too many requests, then too many bad tokens', async () => {
    const client = service.client(await token({ sub: 'busy', tenant: 'busy' }));
    const statuses: number[] = [];
    let wait: string | null = null;
    for (let count = 0; count < 40; count += 1) {
      const { status, headers } = await client.stateless('ping');
      statuses.push(status);
      if (status === 429) wait = headers.get('retry-after');
    }
    expect(statuses).toContain(429);
    expect(Number(wait)).toBeGreaterThanOrEqual(1);
    const bad = service.client('wrong');
    const answers: number[] = [];
    for (let count = 0; count < 15; count += 1) answers.push((await bad.stateless('ping')).status);
    expect(answers).toContain(401);
    expect(answers.at(-1)).toBe(429);
    expect(service.logged()).toContain('ended requests');
    expect(service.logged()).not.toContain('eyJ');
    expect((await service.client(service.ownToken).stateless('tools/list')).status).toBe(200);
  });
});

describe('beyond this machine', () => {
  it('nothing is served without a way to log in: a revoked key is none', async () => {
    const open = await aService();
    const { system } = open;
    try {
      const { key } = await system.keys.create(localCaller, { name: 'a', role: 'viewer' });
      await system.keys.revoke(localCaller, key.id);
      const flags = { home: open.home, 'server.port': 0, 'server.host': '0.0.0.0' };
      const env = { XDG_CONFIG_HOME: open.folder, HOME: open.folder };
      const other = await openSystem({ flags, env, cwd: open.folder });
      await expect(other.serveHttp()).rejects.toMatchObject({ code: 'gateway.open_bind_refused' });
      await system.keys.create(localCaller, { name: 'b', role: 'viewer' });
      const listener = await other.serveHttp();
      const url = listener.url.replace('0.0.0.0', '127.0.0.1');
      expect((await fetch(`${url}/mcp`, { method: 'POST' })).status).toBe(401);
      await listener.close();
      await other.close();
    } finally {
      await open.close();
    }
  });
});
