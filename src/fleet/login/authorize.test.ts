import { describe, expect, it, onTestFinished } from 'vitest';
import { Browser } from '../../../testkit/fleet/login/a-browser.ts';
import { aProtectedServer } from '../../../testkit/fleet/login/a-protected-server.ts';
import { anAuthority } from '../../../testkit/fleet/login/an-authority.ts';
import { zoneFetch } from '../../../testkit/fleet/login/logins-here.ts';
import { prepareAuthorization, redeemCode, refreshGrant, revokeToken } from './authorize.ts';
import { chooseClient } from './choose-client.ts';
import { discoverAuthority } from './discover-authority.ts';
import { openLoopbackRedirect } from './loopback-redirect.ts';

const fetch = zoneFetch({ zone: 'loopback' });

async function aLogin(scopes: readonly string[] = ['read']) {
  const authority = await anAuthority();
  onTestFinished(() => authority.close());
  const server = await aProtectedServer({ authority });
  onTestFinished(() => server.close());
  const found = await discoverAuthority({
    server: 'notes',
    serverUrl: new URL(server.url),
    challenge: {},
    fetch,
  });
  const answers: URLSearchParams[] = [];
  const redirect = await openLoopbackRedirect(async (parameters) => {
    answers.push(parameters);
    return { status: 200, title: 'Done', text: 'Close this window' };
  });
  onTestFinished(() => redirect.close());
  const parts = { server: 'notes', authority: found, redirectUri: redirect.uri };
  const client = await chooseClient({ ...parts, fetch });
  const authorization = await prepareAuthorization({ ...parts, client, scopes });
  await new Browser('alice').visit(authorization.url);
  const [answer = new URLSearchParams()] = answers;
  return { authority, server, found, client, authorization, answer };
}

describe('a login against oidc-provider', () => {
  it('gets a token for just this resource, refreshes it with rotation and revokes it', async () => {
    const { authority, server, found, client, authorization, answer } = await aLogin();
    const grant = await redeemCode(authorization, answer, { fetch });
    const granted = await authority.check(grant.accessToken.reveal(), server.url);
    expect(granted).toEqual({ account: 'alice', scopes: ['read'] });
    expect(await authority.check(grant.accessToken.reveal(), 'http://127.0.0.1/other')).toBe(
      undefined,
    );

    const { metadata } = found;
    const request = { server: 'notes', metadata, client, resource: found.resource, fetch };
    const renewed = await refreshGrant(request, grant.refreshToken!);
    expect(renewed.refreshToken?.reveal()).not.toBe(grant.refreshToken?.reveal());
    expect(await authority.check(renewed.accessToken.reveal(), server.url)).toBeDefined();

    expect(await revokeToken(request, renewed.refreshToken!)).toBe(true);
    await expect(refreshGrant(request, renewed.refreshToken!)).rejects.toThrow('invalid_grant');
  });

  it('sends PKCE with S256, a state and the resource, and no secret', async () => {
    const { authorization } = await aLogin();
    const sent = new URL(authorization.url).searchParams;
    expect(sent.get('code_challenge_method')).toBe('S256');
    expect(sent.get('resource')).toBe(authorization.authority.resource);
    expect(sent.get('state')?.length).toBeGreaterThan(30);
    expect(authorization.url).not.toContain(authorization.verifier.reveal());
    expect(JSON.stringify(authorization)).not.toContain(authorization.verifier.reveal());
  });

  it('redeems a code once, also when it is redeemed many times at once', async () => {
    const { authorization, answer } = await aLogin();
    const attempts = Array.from({ length: 10 }, () => redeemCode(authorization, answer, { fetch }));
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
  });

  it.each([
    ['another issuer', 'iss', 'https://evil.example', 'not from the issuer'],
    ['no issuer', 'iss', undefined, 'not from the issuer'],
    ['another state', 'state', 'guessed', 'state'],
    ['no state', 'state', undefined, 'state'],
    ['a code of another request', 'code', 'canary-code', 'invalid_grant'],
  ])(
    'refuses a response with %s, without repeating what is secret',
    async (_what, name, value, reason) => {
      const { authorization, answer } = await aLogin();
      if (value === undefined) answer.delete(name);
      else answer.set(name, value);
      const failure = await redeemCode(authorization, answer, { fetch }).catch((error) => error);
      expect(failure.message).toContain(reason);
      const shown = `${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`;
      expect(shown).not.toContain(answer.get('code'));
      expect(shown).not.toContain(authorization.verifier.reveal());
    },
  );
});
