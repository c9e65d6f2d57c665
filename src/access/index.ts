export { createApiKeys, createTenants } from './api-keys.ts';
export { Credentials } from './credentials.ts';
export type {
  AccessState,
  KeyCandidate,
  KeyStore,
  RunGrant,
  StoredKey,
  StoredSecret,
} from './key-store.ts';
