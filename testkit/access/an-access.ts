import { createApiKeys, createTenants, Credentials } from '../../src/access/index.ts';
import type { ApiKeys, Tenants } from '../../src/contract/access/index.ts';
import { silentLog } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { aStore } from '../store/a-store.ts';

export interface AnAccess {
  readonly keys: ApiKeys;
  readonly tenants: Tenants;
  readonly credentials: Credentials;
  readonly store: Store;
  readonly clock: { ms: number; now(): number };
}

/** Keys in a real database, on a clock that a test sets. Two with one `home` are two processes. */
export function anAccess(options: { readonly home?: string } = {}): AnAccess {
  const store = aStore(options);
  const clock = {
    ms: Date.parse('2026-06-01T00:00:00Z'),
    now(): number {
      return this.ms;
    },
  };
  const credentials = new Credentials({ store: store.keys, clock, log: silentLog });
  const parts = { store: store.keys, clock, onChange: () => void credentials.refresh() };
  return {
    keys: createApiKeys(parts),
    tenants: createTenants(parts),
    credentials,
    store,
    clock,
  };
}
