export { CallLane } from './call-lane.ts';
export type { CallTracer, TracedCall, TraceScope } from './call-tracer.ts';
export { createCatalogue } from './catalogue.ts';
export type { ServerEntry } from './fleet-server.ts';
