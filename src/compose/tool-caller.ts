import type { CallCounter } from '../agents/index.ts';
import type { Credentials } from '../access/index.ts';
import type { Settings } from '../config/index.ts';
import { isInScope } from '../contract/access/index.ts';
import { localCaller, type Caller } from '../contract/caller/index.ts';
import type { Catalogue, CatalogueEntry } from '../contract/catalogue/index.ts';
import { budgetsMetaKey } from '../contract/model/index.ts';
import type { CallContext } from '../contract/server/index.ts';
import type { ToolResult } from '../contract/tool/index.ts';
import type { Tracing } from '../observe/index.ts';
import type { ToolLookup } from '../workflow/check/index.ts';
import type { StepTracer, ToolCaller } from '../workflow/effects/index.ts';
import type { BeginTrace } from '../workflow/runs/index.ts';

/** What a call of a run has to pass. */
interface ToolGates {
  readonly access?: Pick<Credentials, 'runCaller'> | undefined;
  /** Holds calls of agents to their budgets. */
  readonly calls?: Pick<CallCounter, 'take'>;
}

export interface KnownTools {
  readonly caller: ToolCaller;
  /** By dotted name, as they are now. */
  entries(): Promise<ReadonlyMap<string, CatalogueEntry>>;
  close(): void;
}

/**
 * The catalogue by dotted names. What it offers is asked for once, and again after it changed. Runs are stored with the
 * id of their caller alone: what it may do is looked up for every call.
 */
export function knownTools(catalogue: Catalogue, { access, calls }: ToolGates = {}): KnownTools {
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
      async call(name, args, context) {
        await calls?.take(context, name);
        const call = async (listed: ReadonlyMap<string, CatalogueEntry>): Promise<ToolResult> =>
          catalogue.callTool(
            listed.get(name)?.wireName ?? name,
            args,
            await withGrants(context, access),
          );
        return known ? call(known) : entries().then(call);
      },
    },
  };
}

/** Throws `access.caller_revoked` where the caller of the run may do nothing any more. */
async function withGrants(
  context: CallContext,
  access: Pick<Credentials, 'runCaller'> | undefined,
): Promise<CallContext> {
  const { id } = context.caller;
  if (id === localCaller.id) return context;
  const budgets = context.meta[budgetsMetaKey];
  const [budget = ''] = Array.isArray(budgets) ? budgets.map(String) : [];
  const caller = (await access?.runCaller(budget.replace(/^run:/, ''), id)) ?? { id, scopes: [] };
  return { ...context, caller };
}

/**
 * The tools a caller's plans are checked with. Without a state where the caller does not see all: what was checked for others does not
 * count for it.
 */
export async function lookUp(
  tools: KnownTools,
  catalogue: Catalogue,
  caller: Caller,
): Promise<ToolLookup> {
  const all = await tools.entries();
  const isWhole = caller.scopes === undefined;
  const entries = isWhole ? all : new Map([...all].filter(([name]) => isInScope(caller, name)));
  const failures = isWhole ? (catalogue.failures?.() ?? []) : [];
  return {
    find: (name) => entries.get(name)?.tool,
    names: () => [...entries.keys()],
    ...(isWhole && { state: entries }),
    failureOf: (server) => failures.find((failure) => failure.server === server)?.message,
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
