import { describe, expect, it } from 'vitest';
import { anAccess } from '../../testkit/access/an-access.ts';
import { aDirectory } from '../../testkit/observe/a-directory.ts';
import type { NewApiKey } from '../contract/access/index.ts';
import { localCaller } from '../contract/caller/index.ts';

const hourMs = 3_600_000;

async function aKey(wanted: Partial<NewApiKey> = {}) {
  const access = anAccess();
  const made = await access.keys.create(localCaller, { name: 'ci', role: 'developer', ...wanted });
  return { ...access, ...made };
}

describe('a presented key', () => {
  it('names its caller, with its role and tools', async () => {
    const { credentials, key, secret } = await aKey({ tenant: 'acme', scopes: ['code.*'] });
    expect(await credentials.verify(secret)).toEqual({
      id: 'acme/ci',
      tenant: 'acme',
      role: 'developer',
      scopes: ['code.*'],
      credential: `key:${key.id}`,
    });
  });

  it('is refused when a character differs, is missing or is added', async () => {
    const { credentials, secret } = await aKey();
    const end = secret.endsWith('A') ? 'E' : 'A';
    for (const token of [
      secret.slice(0, -1) + end,
      secret.slice(0, -1),
      `${secret}A`,
      secret.toUpperCase(),
      'tutti_',
      '',
      'x'.repeat(1_000_000),
    ]) {
      expect(await credentials.verify(token)).toBeUndefined();
    }
  });

  it('ends at its expiry, though it was verified before', async () => {
    const { credentials, clock, secret } = await aKey({ expiresAt: '2026-06-01T01:00:00Z' });
    clock.ms += hourMs - 1;
    expect(await credentials.verify(secret)).toMatchObject({ credentialEndsAtMs: clock.ms + 1 });
    clock.ms += 1;
    expect(await credentials.verify(secret)).toBeUndefined();
  });

  it('has two secrets for the time of grace after a rotation', async () => {
    const { credentials, keys, key, clock, secret } = await aKey();
    expect(await credentials.verify(secret)).toBeDefined();
    const rotated = await keys.rotate(localCaller, key.id, { graceSeconds: 3_600 });
    expect(rotated.key.id).toBe(key.id);
    expect(await credentials.verify(secret)).toMatchObject({
      credentialEndsAtMs: clock.ms + hourMs,
    });
    clock.ms += hourMs;
    expect(await credentials.verify(secret)).toBeUndefined();
    expect(await credentials.verify(rotated.secret)).toBeDefined();
    await keys.rotate(localCaller, key.id, { graceSeconds: 0 });
    expect(await credentials.verify(rotated.secret)).toBeUndefined();
  });

  it('is refused at once when it was revoked, disabled, or its tenant was', async () => {
    const { credentials, keys, tenants, key, secret } = await aKey({ tenant: 'acme' });
    const caller = await credentials.verify(secret);
    if (!caller) throw new Error('The key should be accepted');
    const isAccepted = async (): Promise<boolean> => {
      const isVerified = (await credentials.verify(secret)) !== undefined;
      expect(credentials.isActive(caller)).toBe(isVerified);
      return isVerified;
    };
    await keys.setDisabled(localCaller, key.id, true);
    expect(await isAccepted()).toBe(false);
    await keys.setDisabled(localCaller, key.id, false);
    expect(await isAccepted()).toBe(true);
    await tenants.setDisabled(localCaller, 'acme', true);
    expect(await isAccepted()).toBe(false);
    await tenants.setDisabled(localCaller, 'acme', false);
    expect(await isAccepted()).toBe(true);
    await keys.revoke(localCaller, key.id);
    expect(await isAccepted()).toBe(false);
    const again = keys.rotate(localCaller, key.id, { graceSeconds: 0 });
    await expect(again).rejects.toMatchObject({ code: 'access.invalid_key' });
  });

  it('is refused by another process after its next look, once revoked here', async () => {
    const home = aDirectory();
    const here = anAccess({ home });
    const there = anAccess({ home });
    const { key, secret } = await here.keys.create(localCaller, { name: 'ci', role: 'viewer' });
    expect(await there.credentials.verify(secret)).toBeDefined();
    expect(await there.credentials.refresh()).toBe(false);
    await here.keys.revoke(localCaller, key.id);
    expect(await there.credentials.refresh()).toBe(true);
    expect(await there.credentials.verify(secret)).toBeUndefined();
  });

  it('has its last use written, not at every use', async () => {
    const { credentials, keys, clock, secret } = await aKey();
    await credentials.verify(secret);
    clock.ms += 1_000;
    await credentials.verify(secret);
    await credentials.close();
    const [listed] = await keys.list(localCaller);
    expect(listed?.lastUsedAt).toBe(new Date(clock.ms).toISOString());
  });
});

describe('the caller of a run', () => {
  it('has what its key may do now, and nothing once the key is gone', async () => {
    const { credentials, keys, clock, key, secret } = await aKey({ scopes: ['code.*'] });
    const caller = await credentials.verify(secret);
    if (!caller) throw new Error('The key should be accepted');
    await credentials.grantRun('r1', caller);
    expect(await credentials.runCaller('r1', caller.id)).toEqual(caller);
    expect(await credentials.runCaller('r9', 'local')).toEqual(localCaller);
    const revoked = { code: 'access.caller_revoked' };
    const thrownBy = (runId: string, callerId: string): Promise<unknown> =>
      credentials.runCaller(runId, callerId).catch((error: unknown) => error);
    expect(await thrownBy('r2', caller.id)).toMatchObject(revoked);
    expect(await thrownBy('r1', 'default/other')).toMatchObject(revoked);
    await keys.revoke(localCaller, key.id);
    expect(await thrownBy('r1', caller.id)).toMatchObject(revoked);
    const token = { id: 'acme/bob', tenant: 'acme', role: 'viewer', credential: 'jwt:1' } as const;
    await credentials.grantRun('r3', { ...token, credentialEndsAtMs: clock.ms });
    expect(await credentials.runCaller('r3', 'acme/bob')).toEqual(token);
  });
});
