import {
  createAccessPolicy,
  createApiKeys,
  createTenants,
  Credentials,
} from '../../src/access/index.ts';
import type { AccessPolicy, ApiKeys, Tenants } from '../../src/contract/access/index.ts';
import { silentLog } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { aCatalogue, anEntry } from '../toolbox/admin/a-catalogue.ts';
import { aStore } from '../store/a-store.ts';

export interface AnAccess {
  readonly keys: ApiKeys;
  readonly tenants: Tenants;
  /** Knows the tools `code.review_code`, of ours, and `files.read`. */
  readonly policy: AccessPolicy;
  readonly credentials: Credentials;
  readonly store: Store;
  readonly clock: { ms: number; now(): number };
}

const entries = [
  { ...anEntry('code.review_code', 'Reviews.'), isOwn: true },
  anEntry('files.read', 'Reads.'),
];

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
  const parts = {
    store: store.keys,
    clock,
    onChange: async () => void (await credentials.refresh()),
  };
  return {
    keys: createApiKeys(parts),
    tenants: createTenants(parts),
    policy: createAccessPolicy({ ...parts, catalogue: () => aCatalogue(entries).catalogue }),
    credentials,
    store,
    clock,
  };
}
