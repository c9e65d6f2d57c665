export { createLog, type RunningLog } from './log/create-log.ts';
export { Metrics } from './metrics.ts';
export { redactText } from './redact/redact-text.ts';
export { isSecretName } from './redact/redact-text.ts';
export { ActiveSpans } from './trace/span.ts';
export { createTracing, type Tracing } from './trace/create-tracing.ts';
export { findTrace } from './trace/trace-store.ts';
export { formatTrace } from './trace/format-trace.ts';
export type { SpanRecord } from './trace/span.ts';
export { traceLimits } from './trace/trace-limits.ts';
export type {
  TraceMatch,
  TraceReadLimits,
  TraceRetention,
  TraceStore,
  TraceSummary,
} from './trace/trace-store.ts';
