export { CallExecutor } from './call-executor.ts';
export { compactCatalogue } from './catalogue/compact-catalogue.ts';
export { FileListingCache } from './catalogue/listing-cache.ts';
export type { RecordCall } from './catalogue/fleet-catalogue.ts';
export { createFleet, type OpenFleet, type ServerEntry } from './create-fleet.ts';
export type { Outside } from './configured-server.ts';
export { openUpstream } from './open-upstream.ts';
export type { ClientRoots } from './upstream/server-request-handler.ts';
