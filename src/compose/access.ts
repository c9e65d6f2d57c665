import type { Settings } from '../config/index.ts';
import { createApiKeys, createTenants, Credentials } from '../access/index.ts';
import type { ApiKeys, Tenants } from '../contract/access/index.ts';
import { systemClock, type Log } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';

interface AccessParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly store: Store;
}

/** Who may call, besides the user at this machine. */
export interface AccessHere {
  readonly keys: ApiKeys;
  readonly tenants: Tenants;
  readonly credentials: Credentials;
  /** Calls `listener` when access was taken away or given back, by this process or another. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

export function accessHere({ store, log }: AccessParts): AccessHere {
  const listeners = new Set<() => void>();
  const credentials = new Credentials({ store: store.keys, clock: systemClock, log });
  const onChange = (): void => {
    credentials.refresh();
    for (const listener of listeners) listener();
  };
  const parts = { store: store.keys, clock: systemClock, onChange };
  return {
    keys: createApiKeys(parts),
    tenants: createTenants(parts),
    credentials,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => credentials.close(),
  };
}
