import type { Settings } from '../config/index.ts';
import type { Catalogue, CatalogueEntry } from '../contract/catalogue/index.ts';
import type { ToolResult } from '../contract/tool/index.ts';
import type { Tracing } from '../observe/index.ts';
import type { StepTracer, ToolCaller } from '../workflow/effects/index.ts';
import type { BeginTrace } from '../workflow/runs/index.ts';

export interface KnownTools {
  readonly caller: ToolCaller;
  /** By dotted name, as they are now. */
  entries(): Promise<ReadonlyMap<string, CatalogueEntry>>;
  close(): void;
}

/** The catalogue by dotted names. What it offers is asked for once, and again after it changed. */
export function knownTools(catalogue: Catalogue): KnownTools {
  let known: ReadonlyMap<string, CatalogueEntry> | undefined;
  const stopListening = catalogue.onChange(({ kind }) => {
    if (kind === 'tools') known = undefined;
  });
  const entries = async (): Promise<ReadonlyMap<string, CatalogueEntry>> => {
    if (known) return known;
    const listed = new Map((await catalogue.entries()).map((entry) => [entry.name, entry]));
    // A server that could not be listed is asked again next time.
    if ((catalogue.failures?.() ?? []).length === 0) known = listed;
    return listed;
  };
  return {
    entries,
    close: stopListening,
    caller: {
      find: (name) => (known ? known.get(name) : entries().then((listed) => listed.get(name))),
      call(name, args, context) {
        const call = (listed: ReadonlyMap<string, CatalogueEntry>): Promise<ToolResult> =>
          catalogue.callTool(listed.get(name)?.wireName ?? name, args, context);
        return known ? call(known) : entries().then(call);
      },
    },
  };
}

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
