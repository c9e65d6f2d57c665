import type {
  ClientRecord,
  LoginKey,
  LoginLock,
  LoginStore,
  StoredLogin,
} from '../../../src/fleet/index.ts';

/** A store of logins in memory. */
export function createMemoryLoginStore(): LoginStore {
  const logins = new Map<string, StoredLogin>();
  const locks = new Map<string, LoginLock>();
  const clients = new Map<string, ClientRecord>();
  let versions = 0;
  const keyOf = ({ callerId, server }: LoginKey): string => `${callerId}\n${server}`;
  return {
    find: async (key) => logins.get(keyOf(key)),
    put: async (record, version) => {
      const key = keyOf(record);
      if (version !== undefined && logins.get(key)?.version !== version) return false;
      logins.set(key, { ...record, version: (versions += 1) });
      return true;
    },
    remove: async (key) => logins.delete(keyOf(key)),
    lock: async (lock) => {
      const held = locks.get(keyOf(lock));
      if (held && held.owner !== lock.owner && held.untilMs > lock.nowMs) return false;
      locks.set(keyOf(lock), lock);
      return true;
    },
    unlock: async (lock) => {
      if (locks.get(keyOf(lock))?.owner === lock.owner) locks.delete(keyOf(lock));
    },
    findClient: async (issuer, redirectUri) => clients.get(`${issuer}\n${redirectUri}`),
    putClient: async (client) => {
      clients.set(`${client.issuer}\n${client.redirectUri}`, client);
    },
    removeClient: async (issuer, redirectUri) => {
      clients.delete(`${issuer}\n${redirectUri}`);
    },
  };
}
