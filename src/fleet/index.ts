export { CallLane } from './call-lane.ts';
export { createCatalogue } from './catalogue.ts';
export type { ServerEntry } from './fleet-server.ts';
