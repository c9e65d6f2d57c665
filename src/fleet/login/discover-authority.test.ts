import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeServer, listen } from '../../../testkit/fleet/login/an-authority.ts';
import { zoneFetch } from '../../../testkit/fleet/login/logins-here.ts';
import { chooseClient } from './choose-client.ts';
import { discoverAuthority, type DiscoveryRequest } from './discover-authority.ts';

const fetch = zoneFetch({ zone: 'loopback', limits: { totalMs: 500, maxBytes: 20_000 } });

interface Documents {
  readonly [path: string]: unknown;
}

/** Server and authority at one origin, with the documents by path; functions get the origin. */
async function aPlace(documents: (origin: string) => Documents) {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const document = documents(origin)[url];
    if (document === undefined) response.writeHead(404).end();
    else {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    }
  });
  onTestFinished(() => closeServer(server));
  const origin = await listen(server);
  const discover = (request: Partial<DiscoveryRequest> = {}) =>
    discoverAuthority({
      server: 'notes',
      serverUrl: new URL(`${origin}/mcp`),
      challenge: {},
      fetch,
      ...request,
    });
  return { origin, asked, discover };
}

const atPath = '/.well-known/oauth-protected-resource/mcp';
const atRoot = '/.well-known/oauth-protected-resource';
const oauth = '/.well-known/oauth-authorization-server';

function resourceOf(origin: string, issuer = origin) {
  return { resource: `${origin}/mcp`, authorization_servers: [issuer], scopes_supported: ['read'] };
}

function metadataOf(origin: string, issuer = origin) {
  return {
    issuer,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    code_challenge_methods_supported: ['S256'],
  };
}

describe('discovery', () => {
  it.each([
    ['at the path of the server', atPath, {}],
    ['at the root', atRoot, {}],
    ['where the challenge says', '/x.json', { resourceMetadata: '/x.json' }],
  ])('finds the metadata of the resource %s', async (_where, path, challenge) => {
    const { origin, discover } = await aPlace((at) => ({
      [path]: resourceOf(at),
      [oauth]: metadataOf(at),
    }));
    const named = 'resourceMetadata' in challenge ? `${origin}/x.json` : undefined;
    const found = await discover({ challenge: named ? { resourceMetadata: named } : {} });
    expect(found).toMatchObject({ issuer: origin, resource: `${origin}/mcp`, scopes: ['read'] });
  });

  it.each([
    '/.well-known/oauth-authorization-server/tenant',
    '/.well-known/openid-configuration/tenant',
    '/tenant/.well-known/openid-configuration',
  ])('finds the metadata of an issuer with a path at %s', async (path) => {
    const { origin, discover } = await aPlace((at) => ({
      [atPath]: resourceOf(at, `${at}/tenant`),
      [path]: metadataOf(at, `${at}/tenant`),
    }));
    expect((await discover()).issuer).toBe(`${origin}/tenant`);
  });

  it('takes a server without metadata as its own authority', async () => {
    const { origin, discover } = await aPlace((at) => ({ [oauth]: metadataOf(at) }));
    expect(await discover()).toMatchObject({ issuer: origin, resource: `${origin}/mcp` });
  });

  const hostile: readonly (readonly [string, (at: string) => Documents, string])[] = [
    [
      'a resource of another origin',
      (at) => ({ [atPath]: { ...resourceOf(at), resource: 'https://bank.example/mcp' } }),
      'describes another resource',
    ],
    [
      'a resource beside the server',
      (at) => ({ [atPath]: { ...resourceOf(at), resource: `${at}/mc` } }),
      'describes another resource',
    ],
    [
      'metadata of another issuer',
      (at) => ({ [atPath]: resourceOf(at), [oauth]: metadataOf(at, 'https://honest.example') }),
      'that of another issuer',
    ],
    [
      'an issuer inside the network',
      (at) => ({ [atPath]: resourceOf(at, 'https://169.254.169.254/') }),
      'its address is special',
    ],
    [
      'an issuer that is a file',
      (at) => ({ [atPath]: resourceOf(at, 'file:///etc/passwd') }),
      'was refused',
    ],
    [
      'an issuer without encryption',
      (at) => ({ [atPath]: resourceOf(at, 'http://example.org') }),
      'only https',
    ],
    [
      'a script as the authorization endpoint',
      (at) => ({
        [atPath]: resourceOf(at),
        [oauth]: { ...metadataOf(at), authorization_endpoint: 'javascript:alert(1)' },
      }),
      'was refused',
    ],
    [
      'a token endpoint without encryption',
      (at) => ({
        [atPath]: resourceOf(at),
        [oauth]: { ...metadataOf(at), token_endpoint: 'http://evil.example/token' },
      }),
      'only https',
    ],
    [
      'a revocation endpoint that is a file',
      (at) => ({
        [atPath]: resourceOf(at),
        [oauth]: { ...metadataOf(at), revocation_endpoint: 'file:///dev/null' },
      }),
      'was refused',
    ],
    [
      'no PKCE',
      (at) => ({
        [atPath]: resourceOf(at),
        [oauth]: { ...metadataOf(at), code_challenge_methods_supported: undefined },
      }),
      'does not support PKCE',
    ],
    [
      'only plain PKCE',
      (at) => ({
        [atPath]: resourceOf(at),
        [oauth]: { ...metadataOf(at), code_challenge_methods_supported: ['plain'] },
      }),
      'does not support PKCE',
    ],
    [
      'no authorization server',
      (at) => ({ [atPath]: { resource: `${at}/mcp`, authorization_servers: [] } }),
      'names no authorization server',
    ],
    [
      'a huge document',
      (at) => ({ [atPath]: { ...resourceOf(at), more: 'x'.repeat(50_000) } }),
      'larger than 20000 bytes',
    ],
    [
      'no endpoints',
      (at) => ({ [atPath]: resourceOf(at), [oauth]: { issuer: at } }),
      'has no authorization_endpoint',
    ],
  ];

  it.each(hostile)('refuses %s', async (_what, documents, reason) => {
    const { discover } = await aPlace(documents);
    const failure = await discover().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'fleet.login_failed' });
    expect(String(failure)).toContain(reason);
  });

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'https://10.0.0.1/m', 'http://a.example/'])(
    'refuses a challenge that names %s',
    async (resourceMetadata) => {
      const { discover, asked } = await aPlace(() => ({}));
      const challenge = { resourceMetadata };
      await expect(discover({ challenge })).rejects.toMatchObject({ code: 'fleet.login_failed' });
      expect(asked).toEqual([]);
    },
  );

  it('refuses another issuer than the configured one, or the one of the login before', async () => {
    const { discover } = await aPlace((at) => ({
      [atPath]: resourceOf(at),
      [oauth]: metadataOf(at),
    }));
    await expect(discover({ issuer: 'https://honest.example' })).rejects.toThrow(
      'and not honest.example as before',
    );
  });
});

describe('the client', () => {
  const redirectUri = 'https://tutti.example/oauth/callback';
  const metadataUrl = 'https://tutti.example/client.json';
  const aChoice = async (more: object) => {
    const { discover } = await aPlace((at) => ({
      [atPath]: resourceOf(at),
      [oauth]: { ...metadataOf(at), ...more },
    }));
    return { server: 'notes', authority: await discover(), redirectUri, fetch };
  };
  const takesDocuments = {
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  };

  it('is the one of the entry, before all others', async () => {
    const choice = await aChoice(takesDocuments);
    const client = await chooseClient({ ...choice, metadataUrl, configured: { id: 'mine' } });
    expect(client).toMatchObject({ id: 'mine', method: 'none' });
  });

  it('is our document, where responses name their issuer', async () => {
    const choice = await aChoice(takesDocuments);
    expect(await chooseClient({ ...choice, metadataUrl })).toEqual({
      id: metadataUrl,
      method: 'none',
    });
  });

  it('is not our document where another authority could ride on its consent page', async () => {
    const choice = await aChoice({ client_id_metadata_document_supported: true });
    const failure = chooseClient({ ...choice, metadataUrl });
    await expect(failure).rejects.toThrow('does not register clients by itself');
  });

  it('that registered before is used again', async () => {
    const choice = await aChoice({ registration_endpoint: 'https://never.example/' });
    const known = { id: 'registered', method: 'none' };
    expect(await chooseClient({ ...choice, known })).toBe(known);
  });

  it('cannot be had where registration is refused, and the error says what to do', async () => {
    const { origin, discover } = await aPlace((at) => ({
      [atPath]: resourceOf(at),
      [oauth]: { ...metadataOf(at), registration_endpoint: `${at}/none` },
    }));
    expect(origin).toBeDefined();
    const choice = { server: 'notes', authority: await discover(), redirectUri, fetch };
    await expect(chooseClient(choice)).rejects.toThrow('set login.clientId in the entry');
  });
});
