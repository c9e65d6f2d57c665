import type { Settings } from '../config/index.ts';
import type { Tracing } from '../observe/index.ts';
import type { StepTracer } from '../workflow/effects/index.ts';
import type { BeginTrace } from '../workflow/runs/index.ts';

/** How runs are traced: one span for the start, under which every step has its own, wherever it runs. */
export interface RunTraces {
  readonly beginTrace: BeginTrace;
  /** Absent when nothing is traced. */
  readonly tracer?: StepTracer;
}

const traceContext = ['traceparent', 'tracestate', 'baggage'];

export function runTraces({ tracing: settings }: Settings, tracing: Tracing): RunTraces {
  if (!settings.enabled && settings.otlp_endpoint === undefined) {
    return { beginTrace: async ({ meta }) => contextOf(meta) };
  }
  return {
    tracer: tracing,
    beginTrace: ({ caller, runId, name, meta }) => {
      const start = {
        name: `run ${name ?? runId}`,
        kind: 'internal',
        attributes: { 'tutti.run.id': runId },
        parentMeta: meta,
        caller,
      } as const;
      return tracing.traced(start, async (scope) => ({ ...scope.outgoingMeta() }));
    },
  };
}

function contextOf(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => traceContext.includes(key)));
}
