export { createLog, type LogLevel, logLevels, type RunningLog } from './log/create-log.ts';
export { SpanLog } from './log/log-spans.ts';
export { followLog, type LogLine, type LogQuery, readLog } from './log/read-log.ts';
export {
  type AlertChange,
  AlertEngine,
  builtInRules,
  type EarlierAlerts,
} from './alerts/alert-engine.ts';
export { AlertNotifier, bodiesOf, type SentAlerts, type Webhook } from './alerts/notify.ts';
export { countSpan } from './metrics/count-spans.ts';
export { Metrics } from './metrics/metrics.ts';
export {
  summarizeUsage,
  type UsageKind,
  usageKinds,
  type UsageLine,
} from './usage/summarize-usage.ts';
export { redactText } from './redact/redact-text.ts';
export { isSecretName } from './redact/redact-text.ts';
export { ActiveSpans } from './trace/span.ts';
export { createTracing, type Tracing } from './trace/create-tracing.ts';
export { findTrace } from './trace/trace-store.ts';
export { explainTrace, type TraceExplanation } from './explain/explain-trace.ts';
export { findTraces, type FoundTrace, type TraceQuery, tracesOf } from './explain/find-traces.ts';
export { formatExplanation } from './explain/format-explanation.ts';
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
