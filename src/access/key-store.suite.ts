import { expect, it } from 'vitest';
import type { KeyStore, RunGrant, StoredKey } from './key-store.ts';

const key: StoredKey = {
  id: 'key_1',
  name: 'ci',
  prefix: 'tutti_a',
  callerId: 'acme/ci',
  tenant: 'acme',
  role: 'viewer',
  scopes: ['code.*'],
  createdBy: 'local',
  createdAtMs: 1_000,
  expiresAtMs: 9_000,
  lastUsedAtMs: null,
  revokedAtMs: null,
  disabledAtMs: null,
};
const secret = { prefix: 'tutti_a', digest: 'd1', createdAtMs: 1_000 };
const grant: RunGrant = {
  runId: 'r1',
  callerId: 'a/b',
  tenant: 'a',
  role: 'viewer',
  scopes: ['x.*'],
  credential: 'jwt:1',
};

/** What every store of keys promises. `create` gives an empty one. */
export function testKeyStore(create: () => KeyStore): void {
  it('gives back a key as it was added, and lists the newest first', async () => {
    const store = create();
    await store.add(key, secret);
    const other = { ...key, id: 'key_2', tenant: 'zoo', scopes: null, createdAtMs: 2_000 };
    await store.add(other, { ...secret, digest: 'd2' });
    expect(await store.find('key_1')).toEqual(key);
    expect(await store.find('key_3')).toBeUndefined();
    expect(await store.list(null, 9)).toEqual([other, key]);
    expect(await store.list('acme', 9)).toEqual([key]);
    expect(await store.list(null, 1)).toEqual([other]);
  });

  it('finds what a secret may belong to by its beginning, and ends the ones before a rotation', async () => {
    const store = create();
    await store.add(key, secret);
    expect(await store.candidates('tutti_a')).toEqual([{ key, digest: 'd1', endsAtMs: null }]);
    await store.addSecret('key_1', { prefix: 'tutti_b', digest: 'd2', createdAtMs: 2_000 }, 3_000);
    await store.addSecret('key_1', { prefix: 'tutti_c', digest: 'd3', createdAtMs: 2_500 }, 5_000);
    const ends = async (prefix: string): Promise<unknown[]> =>
      (await store.candidates(prefix)).map(({ endsAtMs }) => endsAtMs);
    expect(await ends('tutti_a')).toEqual([3_000]);
    expect(await ends('tutti_b')).toEqual([5_000]);
    expect(await ends('tutti_c')).toEqual([null]);
    expect((await store.find('key_1'))?.prefix).toBe('tutti_c');
  });

  it('notes the latest use, and that of the first revocation', async () => {
    const store = create();
    await store.add(key, secret);
    await store.noteUse(new Map([['key_1', 5_000]]));
    await store.noteUse(new Map([['key_1', 4_000]]));
    expect(await store.hasUsable(8_999)).toBe(true);
    expect(await store.hasUsable(9_000)).toBe(false);
    await store.revoke('key_1', 6_000);
    await store.revoke('key_1', 7_000);
    expect(await store.find('key_1')).toMatchObject({ lastUsedAtMs: 5_000, revokedAtMs: 6_000 });
    expect(await store.hasUsable(1_000)).toBe(false);
  });

  it('tells what is switched off, and that it changed', async () => {
    const store = create();
    await store.add(key, secret);
    const before = await store.revision();
    await store.setDisabled('key_1', 5_000);
    await store.setTenantDisabled('acme', 6_000);
    expect(await store.revision()).not.toBe(before);
    expect(await store.state()).toEqual({
      closedKeys: new Set(['key_1']),
      disabledTenants: new Map([['acme', 6_000]]),
    });
    await store.setDisabled('key_1', null);
    await store.setTenantDisabled('acme', null);
    expect(await store.state()).toEqual({ closedKeys: new Set(), disabledTenants: new Map() });
  });

  it('forgets grants of runs that were started long ago, and replaces one', async () => {
    const store = create();
    await store.grantRun(grant, 1_000, 0);
    expect(await store.runGrant('r1')).toEqual(grant);
    await store.grantRun({ ...grant, role: 'admin' }, 1_200, 0);
    expect(await store.runGrant('r1')).toEqual({ ...grant, role: 'admin' });
    await store.grantRun({ ...grant, runId: 'r2', scopes: null }, 2_000, 1_500);
    expect(await store.runGrant('r1')).toBeUndefined();
    expect(await store.runGrant('r2')).toMatchObject({ scopes: null });
  });
}
