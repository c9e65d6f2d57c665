import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anAccess } from '../../testkit/access/an-access.ts';
import { localCaller, type Caller } from '../contract/caller/index.ts';

const dayMs = 24 * 3_600_000;
const admin: Caller = { id: 'acme/ann', tenant: 'acme', role: 'admin' };

describe('API keys', () => {
  it('show their secret once and store a digest of it', async () => {
    const { keys, store } = anAccess();
    const { key, secret } = await keys.create(localCaller, { name: 'ci', role: 'developer' });
    expect(secret).toMatch(/^tutti_[\w-]{43}$/);
    expect(key).toMatchObject({ callerId: 'default/ci', tenant: 'default', scopes: null });
    expect(secret.startsWith(key.prefix)).toBe(true);
    expect(secret.length - key.prefix.length).toBeGreaterThanOrEqual(32);
    expect(await keys.list(localCaller)).toEqual([key]);
    expect(await store.keys.hasUsable(0)).toBe(true);
    await keys.revoke(localCaller, key.id);
    expect(await store.keys.hasUsable(0)).toBe(false);
    store.close();
    const stored = readFileSync(store.path, 'latin1');
    expect(stored).toContain(key.id);
    expect(stored).not.toContain(secret);
  });

  it('are managed within a tenant, and no key gets more than its maker has', async () => {
    const { keys } = anAccess();
    const other = await keys.create(localCaller, { name: 'x', role: 'viewer', tenant: 'other' });
    const boss = await keys.create(localCaller, { name: 'b', role: 'owner', tenant: 'acme' });
    const made = await keys.create(admin, { name: 'dev', role: 'developer' });
    expect(made.key.tenant).toBe('acme');
    expect((await keys.list(admin)).map(({ name }) => name).sort()).toEqual(['b', 'dev']);
    const missing = await keys.revoke(admin, 'key_0').then(JSON.stringify, String);
    const foreign = await keys.revoke(admin, other.key.id).then(JSON.stringify, String);
    expect(foreign.replace(other.key.id, 'key_0')).toBe(missing);
    for (const attempt of [
      keys.create(admin, { name: 'y', role: 'viewer', tenant: 'other' }),
      keys.create(admin, { name: 'y', role: 'owner' }),
      keys.revoke(admin, boss.key.id),
      keys.rotate(admin, boss.key.id, { graceSeconds: 0 }),
      keys.setDisabled(admin, made.key.id, true),
      keys.list({ ...admin, role: 'developer' }),
      keys.create({ ...admin, scopes: ['code.*'] }, { name: 'y', role: 'viewer', scopes: ['*'] }),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'access.forbidden' });
    }
    const scoped = { ...admin, scopes: ['code.*'] };
    const inherited = await keys.create(scoped, { name: 'z', role: 'viewer' });
    expect(inherited.key.scopes).toEqual(['code.*']);
    const narrower = { name: 'w', role: 'viewer', scopes: ['code.re*'] } as const;
    expect((await keys.create(scoped, narrower)).key.scopes).toEqual(['code.re*']);
  });

  it('do not outlive the key that made them', async () => {
    const { keys, clock } = anAccess();
    const ends = { credential: 'key:key_1', credentialEndsAtMs: clock.ms + dayMs };
    const made = await keys.create({ ...admin, ...ends }, { name: 'a', role: 'viewer' });
    expect(made.key.expiresAt).toBe(new Date(clock.ms + dayMs).toISOString());
    const later = new Date(clock.ms + 2 * dayMs).toISOString();
    const wanted = { name: 'a', role: 'viewer', expiresAt: later } as const;
    const capped = await keys.create({ ...admin, ...ends }, wanted);
    expect(capped.key.expiresAt).toBe(made.key.expiresAt);
  });

  it.each([
    { name: '' },
    { name: 'two words' },
    { name: 'a', tenant: 'Big/Co' },
    { name: 'a', user: '../b' },
    { name: 'a', user: 'b\nc' },
    { name: 'a', scopes: ['two words'] },
    { name: 'a', expiresAt: 'tomorrow' },
    { name: 'a', expiresAt: '2026-05-31T00:00:00Z' },
    { name: 'a', role: 'root' as 'owner' },
  ])('refuse %j', async (wanted) => {
    const { keys } = anAccess();
    const refused = keys.create(localCaller, { role: 'viewer', ...wanted });
    await expect(refused).rejects.toMatchObject({ code: 'access.invalid_key' });
  });
});

describe('tenants', () => {
  it('are switched by their owner and by the user at this machine', async () => {
    const { keys, tenants } = anAccess();
    await keys.create(localCaller, { name: 'a', role: 'viewer', tenant: 'acme' });
    const owner: Caller = { ...admin, role: 'owner' };
    const foreign = tenants.setDisabled(owner, 'other', true);
    await expect(foreign).rejects.toMatchObject({ code: 'access.unknown_tenant' });
    const refused = tenants.setDisabled(admin, 'acme', true);
    await expect(refused).rejects.toMatchObject({ code: 'access.forbidden' });
    const off = await tenants.setDisabled(owner, 'acme', true);
    expect(off).toMatchObject({ name: 'acme', keys: 1, disabledAt: expect.any(String) });
    await tenants.setDisabled(localCaller, 'elsewhere', true);
    expect((await tenants.list(owner)).map(({ name }) => name)).toEqual(['acme']);
    expect(await tenants.list(localCaller)).toHaveLength(2);
  });
});
