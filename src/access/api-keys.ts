import { randomBytes } from 'node:crypto';
import {
  coversScope,
  demandPermission,
  ForbiddenError,
  roles,
  type ApiKey,
  type ApiKeys,
  type NewApiKey,
  type Tenant,
  type Tenants,
} from '../contract/access/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import type { Clock } from '../kernel/index.ts';
import { InvalidKeyError, UnknownKeyError, UnknownTenantError } from './errors.ts';
import { keyCredential, newKeySecret } from './key-secret.ts';
import type { KeyStore, StoredKey } from './key-store.ts';

export interface ApiKeysParts {
  readonly store: KeyStore;
  readonly clock: Clock;
  /** Called when access was taken away or given back, after that is stored. */
  readonly onChange: () => Promise<void>;
}

/** Tenant of keys that the user at this machine creates without one. */
export const defaultTenant = 'default';

const maxKeys = 10_000;
const maxListed = 1_000;
const maxScopes = 100;
const maxGraceSeconds = 90 * 24 * 3_600;
const namePattern = /^[^\p{Cc}]{1,100}$/u;
export const tenantPattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;
/** Printable ASCII but for the slash, which separates it from the tenant. */
export const userPattern = /^[!-.0-~]{1,200}$/;
const scopePattern = /^[^\p{Cc}\s]{1,200}$/u;

/** The keys, stored as digests. Who may do what with them is in the contract and checked here. */
export function createApiKeys(parts: ApiKeysParts): ApiKeys {
  const { store, clock, onChange } = parts;
  const changed = async (id: string): Promise<ApiKey> => {
    await onChange();
    return shownKey(await keyFor(store, { id: 'local' }, id));
  };
  return {
    async create(by, wanted) {
      demandPermission(by, 'keys.manage');
      const now = clock.now();
      const secret = newKeySecret();
      const key = keyToStore(by, wanted, { now, prefix: secret.prefix });
      if ((await store.list(key.tenant, maxKeys)).length >= maxKeys) {
        throw new InvalidKeyError(`tenant ${key.tenant} has ${maxKeys} keys, which is the limit`);
      }
      await store.add(key, { ...secret, createdAtMs: now });
      return { key: shownKey(key), secret: secret.text };
    },
    async list(by) {
      demandPermission(by, 'keys.read');
      return (await store.list(tenantOf(by), maxListed)).map(shownKey);
    },
    async rotate(by, id, { graceSeconds }) {
      demandPermission(by, 'keys.manage');
      const key = await keyFor(store, by, id);
      demandRank(by, key);
      if (key.revokedAtMs !== null) throw new InvalidKeyError(`${id} was revoked`);
      if (!(graceSeconds >= 0 && graceSeconds <= maxGraceSeconds)) {
        throw new InvalidKeyError(`the grace time must be 0 to ${maxGraceSeconds} seconds`);
      }
      const now = clock.now();
      const { text, ...secret } = newKeySecret();
      const stored = { ...secret, createdAtMs: now };
      await store.addSecret(id, stored, now + Math.round(graceSeconds * 1_000));
      return { key: await changed(id), secret: text };
    },
    async revoke(by, id) {
      demandPermission(by, 'keys.manage');
      demandRank(by, await keyFor(store, by, id));
      await store.revoke(id, clock.now());
      return changed(id);
    },
    async setDisabled(by, id, isDisabled) {
      demandPermission(by, 'tenants.manage');
      await keyFor(store, by, id);
      await store.setDisabled(id, isDisabled ? clock.now() : null);
      return changed(id);
    },
  };
}

export function createTenants({ store, clock, onChange }: ApiKeysParts): Tenants {
  const all = async (by: Caller): Promise<readonly Tenant[]> => {
    const now = clock.now();
    const { disabledTenants } = await store.state();
    const counts = new Map([...disabledTenants.keys()].map((name) => [name, 0]));
    for (const key of await store.list(tenantOf(by), maxListed)) {
      const isLive = key.revokedAtMs === null && (key.expiresAtMs ?? Infinity) > now;
      counts.set(key.tenant, (counts.get(key.tenant) ?? 0) + (isLive ? 1 : 0));
    }
    return [...counts]
      .filter(([name]) => by.role === undefined || name === by.tenant)
      .map(([name, keys]) => ({ name, keys, disabledAt: timeText(disabledTenants.get(name)) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  };
  return {
    async list(by) {
      demandPermission(by, 'keys.read');
      return all(by);
    },
    async setDisabled(by, name, isDisabled) {
      demandPermission(by, 'tenants.manage');
      // Tenants of token issuers have no key here, so the user at this machine may name any.
      if (!tenantPattern.test(name) || (by.role !== undefined && by.tenant !== name)) {
        throw new UnknownTenantError(name);
      }
      await store.setTenantDisabled(name, isDisabled ? clock.now() : null);
      await onChange();
      const found = (await all(by)).find((tenant) => tenant.name === name);
      return found ?? { name, keys: 0, disabledAt: null };
    },
  };
}

/** A key of a higher role is not the caller's to take over or end. */
function demandRank(by: Caller, { role }: Pick<StoredKey, 'role'>): void {
  if (by.role === undefined || roles.indexOf(role) <= roles.indexOf(by.role)) return;
  const why = `the key has the role ${role}, which is above ${by.role}`;
  throw new ForbiddenError(by, { permission: 'keys.manage', why });
}

/** The tenant whose keys a caller manages; null for all. A caller with a role and no tenant manages none. */
function tenantOf({ role, tenant }: Caller): string | null {
  return role === undefined ? null : (tenant ?? '');
}

async function keyFor(store: KeyStore, by: Caller, id: string): Promise<StoredKey> {
  const key = await store.find(id);
  const tenant = tenantOf(by);
  if (!key || (tenant !== null && key.tenant !== tenant)) throw new UnknownKeyError(id);
  return key;
}

function keyToStore(
  by: Caller,
  wanted: NewApiKey,
  { now, prefix }: { readonly now: number; readonly prefix: string },
): StoredKey {
  const { name, role } = wanted;
  const tenant = wanted.tenant ?? by.tenant ?? defaultTenant;
  const user = wanted.user ?? name;
  if (!namePattern.test(name)) throw new InvalidKeyError('a name has 1 to 100 characters');
  if (!tenantPattern.test(tenant)) {
    throw new InvalidKeyError(
      `"${tenant}" is no tenant: at most 63 of a-z, 0-9, ".", "_" and "-", beginning with a letter or digit`,
    );
  }
  if (!userPattern.test(user)) {
    throw new InvalidKeyError(`"${user}" is no user: it has a space, a slash or another character`);
  }
  if (!roles.includes(role)) throw new InvalidKeyError(`"${role}" is none of ${roles.join(', ')}`);
  if (by.role !== undefined && tenant !== by.tenant) {
    const why = `keys of tenant ${tenant} are not its own`;
    throw new ForbiddenError(by, { permission: 'keys.manage', why });
  }
  demandRank(by, { role });
  return {
    id: `key_${randomBytes(8).toString('hex')}`,
    name,
    prefix,
    callerId: `${tenant}/${user}`,
    tenant,
    role,
    scopes: scopesFor(by, wanted.scopes),
    createdBy: by.id,
    createdAtMs: now,
    expiresAtMs: expiryOf(by, wanted.expiresAt, now),
    lastUsedAtMs: null,
    revokedAtMs: null,
    disabledAtMs: null,
  };
}

/** At most what the caller has itself. */
function scopesFor(by: Caller, wanted: readonly string[] | undefined): readonly string[] | null {
  if (wanted === undefined) return by.scopes ?? null;
  if (wanted.length > maxScopes) throw new InvalidKeyError(`more than ${maxScopes} tool patterns`);
  for (const scope of wanted) {
    if (!scopePattern.test(scope)) {
      throw new InvalidKeyError(`"${scope}" is no pattern such as code.* or files.read_file`);
    }
    if (!coversScope(by, scope)) {
      const why = `tools "${scope}" are not all its own`;
      throw new ForbiddenError(by, { permission: 'keys.manage', why });
    }
  }
  return wanted;
}

/** A key does not outlive the key that created it: otherwise an expiring one could renew itself. */
function expiryOf(by: Caller, wanted: string | undefined, now: number): number | null {
  const isByKey = by.credential?.startsWith(keyCredential('')) === true;
  const limit = (isByKey ? by.credentialEndsAtMs : undefined) ?? null;
  if (wanted === undefined) return limit;
  const at = Date.parse(wanted);
  if (Number.isNaN(at)) throw new InvalidKeyError(`"${wanted}" is no time such as 2027-01-31`);
  if (at <= now) throw new InvalidKeyError(`${wanted} has passed`);
  return limit === null ? at : Math.min(at, limit);
}

function shownKey(key: StoredKey): ApiKey {
  const { id, name, prefix, callerId, tenant, role, scopes, disabledAtMs } = key;
  return {
    id,
    name,
    prefix,
    callerId,
    tenant,
    role,
    scopes,
    createdAt: new Date(key.createdAtMs).toISOString(),
    expiresAt: timeText(key.expiresAtMs),
    lastUsedAt: timeText(key.lastUsedAtMs),
    revokedAt: timeText(key.revokedAtMs),
    ...(disabledAtMs !== null && { disabledAt: new Date(disabledAtMs).toISOString() }),
  };
}

function timeText(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}
