import { expect, it } from 'vitest';
import { Sealer, Secret } from '../../kernel/index.ts';
import { aRecord } from './login-store.suite.ts';
import { openLogin, sealLogin } from './seal-login.ts';

const sealer = new Sealer([new Secret('a key for tests that is long enough')], 'tests');

function aSealedLogin() {
  const grant = {
    accessToken: new Secret('canary-access'),
    refreshToken: new Secret('canary-refresh'),
  };
  const client = { id: 'tutti', secret: new Secret('canary-secret'), method: 'client_secret_post' };
  const login = { binding: aRecord(), client, grant, scopes: ['read'], now: 0 };
  return { ...sealLogin(sealer, login), version: 1 };
}

it('opens what it sealed', () => {
  const login = openLogin(sealer, aSealedLogin());
  expect(login?.accessToken.reveal()).toBe('canary-access');
  expect(login?.client.secret?.reveal()).toBe('canary-secret');
});

it('shows nothing of the secrets', () => {
  expect(JSON.stringify(aSealedLogin())).not.toContain('canary');
});

it.each(['callerId', 'server', 'serverUrl', 'resource', 'issuer'] as const)(
  'does not open a login that was moved to another %s',
  (field) => {
    expect(openLogin(sealer, { ...aSealedLogin(), [field]: 'other' })).toBeUndefined();
  },
);
