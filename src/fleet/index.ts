export { CallExecutor } from './call-executor.ts';
export { compactCatalogue } from './catalogue/compact-catalogue.ts';
export { FileListingCache } from './catalogue/listing-cache.ts';
export type { RecordCall, RecordOutcome } from './catalogue/fleet-catalogue.ts';
export type {
  ClientRecord,
  LoginKey,
  LoginLock,
  LoginRecord,
  LoginStore,
  StoredLogin,
} from './login/login-store.ts';
export { createFleet, type OpenFleet, type ServerEntry } from './create-fleet.ts';
export { hasLogins, openLogins, type Outside } from './configured-server.ts';
export type { Logins } from './login/logins.ts';
export { openUpstream } from './open-upstream.ts';
export type { ClientRoots } from './upstream/server-request-handler.ts';
