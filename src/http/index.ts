export { Admission, type AdmissionLimits } from './admission.ts';
export { EventStream } from './event-stream.ts';
export {
  accepts,
  headerOf,
  queryOf,
  respondJson,
  type HttpExchange,
  type JsonAnswer,
  type Refusal,
} from './exchange.ts';
export { fetchChecked } from './fetch-checked.ts';
export { isLoopback } from './guard.ts';
export { defaultHttpLimits, type HttpLimits } from './http-limits.ts';
export { createIdentify, type IdentityOptions } from './identity.ts';
export {
  startListener,
  type Listener,
  type ListenerOptions,
  type RefusedRequest,
} from './listener.ts';
export { readJsonBody } from './read-body.ts';
export { RequestLimits } from './request-limits.ts';
export type { Route } from './route.ts';
