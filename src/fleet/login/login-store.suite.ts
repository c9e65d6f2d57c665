import { expect, it } from 'vitest';
import type { LoginRecord, LoginStore } from './login-store.ts';

export function aRecord(changes: Partial<LoginRecord> = {}): LoginRecord {
  return {
    callerId: 'acme/alice',
    server: 'notes',
    serverUrl: 'https://notes.example/mcp',
    resource: 'https://notes.example/mcp',
    issuer: 'https://login.example',
    scopes: ['read', 'write'],
    account: 'alice@example.org',
    expiresAtMs: 1_000,
    isRenewable: true,
    isRevoked: false,
    sealed: 'v1.sealed',
    ...changes,
  };
}

/** What every store of logins promises. `create` gives an empty one. */
export function testLoginStore(create: () => LoginStore): void {
  const key = { callerId: 'acme/alice', server: 'notes' };

  it('gives back the login of each caller and server, and of no other', async () => {
    const store = create();
    const others = [
      aRecord({ callerId: 'acme/bob', account: null, expiresAtMs: null, scopes: [] }),
      aRecord({ server: 'mail' }),
    ];
    for (const record of [aRecord(), ...others]) await store.put(record);
    expect(await store.find(key)).toMatchObject(aRecord());
    for (const record of others) expect(await store.find(record)).toMatchObject(record);
    expect(await store.find({ callerId: 'other/alice', server: 'notes' })).toBeUndefined();
  });

  it('replaces a login only while it is the version that was read', async () => {
    const store = create();
    await store.put(aRecord());
    const { version = 0 } = (await store.find(key)) ?? {};
    expect(await store.put(aRecord({ sealed: 'v1.second' }), version)).toBe(true);
    expect(await store.put(aRecord({ sealed: 'v1.late' }), version)).toBe(false);
    expect((await store.find(key))?.sealed).toBe('v1.second');
  });

  it('does not bring back a login that was removed, or write over the one after it', async () => {
    const store = create();
    await store.put(aRecord());
    const { version = 0 } = (await store.find(key)) ?? {};
    expect(await store.remove(key)).toBe(true);
    expect(await store.remove(key)).toBe(false);
    expect(await store.put(aRecord({ sealed: 'v1.late' }), version)).toBe(false);
    await store.put(aRecord({ sealed: 'v1.next' }));
    expect(await store.put(aRecord({ sealed: 'v1.late' }), version)).toBe(false);
    expect((await store.find(key))?.sealed).toBe('v1.next');
  });

  it('gives a lock to one owner until it is released or expires', async () => {
    const store = create();
    const lock = (owner: string, nowMs: number) =>
      store.lock({ ...key, owner, nowMs, untilMs: nowMs + 100 });
    expect(await lock('a', 0)).toBe(true);
    expect(await lock('b', 50)).toBe(false);
    expect(await store.lock({ ...key, server: 'mail', owner: 'b', nowMs: 50, untilMs: 60 })).toBe(
      true,
    );
    await store.unlock({ ...key, owner: 'b' });
    expect(await lock('b', 50)).toBe(false);
    expect(await lock('b', 100)).toBe(true);
    await store.unlock({ ...key, owner: 'b' });
    expect(await lock('c', 100)).toBe(true);
  });

  it('keeps the client of an issuer and a redirect URI', async () => {
    const store = create();
    const client = { issuer: 'https://a.example', redirectUri: 'https://t.example/c', sealed: 's' };
    await store.putClient(client);
    expect(await store.findClient(client.issuer, client.redirectUri)).toEqual(client);
    expect(await store.findClient(client.issuer, 'https://t.example/d')).toBeUndefined();
    await store.removeClient(client.issuer, client.redirectUri);
    expect(await store.findClient(client.issuer, client.redirectUri)).toBeUndefined();
  });
}
