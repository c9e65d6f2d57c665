import { expect, it } from 'vitest';
import { Secret } from '../../kernel/index.ts';
import { aRecord } from './login-store.suite.ts';
import { openLogin, Sealer, sealLogin } from './seal.ts';

const sealer = new Sealer(new Secret('a key for tests that is long enough'));

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
  expect(sealer.open(sealer.seal('text', ['a']), ['a'])).toBe('text');
  const login = openLogin(sealer, aSealedLogin());
  expect(login?.accessToken.reveal()).toBe('canary-access');
  expect(login?.client.secret?.reveal()).toBe('canary-secret');
});

it('shows nothing of the secrets, and never the same text twice', () => {
  expect(JSON.stringify(aSealedLogin())).not.toContain('canary');
  expect(sealer.seal('text', [])).not.toBe(sealer.seal('text', []));
});

it.each(['callerId', 'server', 'serverUrl', 'resource', 'issuer'] as const)(
  'does not open a login that was moved to another %s',
  (field) => {
    expect(openLogin(sealer, { ...aSealedLogin(), [field]: 'other' })).toBeUndefined();
  },
);

it('does not open what was changed, cut off, or sealed with another key', () => {
  const sealed = sealer.seal('text', []);
  for (let at = 3; at < sealed.length; at += 1) {
    const other = sealed[at] === 'A' ? 'B' : 'A';
    const changed = `${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}`;
    if (at < sealed.length - 1) expect(sealer.open(changed, [])).toBeUndefined();
    expect(sealer.open(sealed.slice(0, at), [])).toBeUndefined();
  }
  expect(new Sealer(new Secret('another key')).open(sealed, [])).toBeUndefined();
  expect(sealer.open('', [])).toBeUndefined();
});
