import type { SpanRecord } from '../trace/span.ts';
import { errorTextOf, numberAttribute, textAttribute } from './classify-span.ts';
import { rootNameOf } from './usual-times.ts';

/** What traces are looked for by; all that is given must hold. */
export interface TraceQuery {
  /** A tool, by its name or a part of it. */
  readonly tool?: string;
  /** Part of an error's type, code or message; empty: any error. */
  readonly error?: string;
  readonly minMs?: number;
  readonly minCostUsd?: number;
  /** Began at or after this time. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
}

export interface FoundTrace {
  readonly traceId: string;
  readonly name: string;
  readonly startedAtUs: number;
  readonly durationUs: number;
  readonly errors: number;
  readonly costUsd: number;
}

/** Traces that fit, newest first. */
export function findTraces(spans: readonly SpanRecord[], query: TraceQuery): readonly FoundTrace[] {
  return tracesOf(spans)
    .filter((trace) => hasTool(trace, query) && hasError(trace, query))
    .map(summaryOf)
    .filter((found) => isInRange(found, query))
    .toSorted((a, b) => b.startedAtUs - a.startedAtUs);
}

/** The spans of each trace. */
export function tracesOf(spans: readonly SpanRecord[]): readonly (readonly SpanRecord[])[] {
  return [...Map.groupBy(spans, ({ traceId }) => traceId).values()];
}

function hasTool(spans: readonly SpanRecord[], { tool }: TraceQuery): boolean {
  if (tool === undefined) return true;
  const wanted = plain(tool);
  return spans.some((span) =>
    plain(textAttribute(span, 'gen_ai.tool.name') ?? '').includes(wanted),
  );
}

/** Clients write `server__tool`, people `server.tool`. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll('__', '.');
}

function hasError(spans: readonly SpanRecord[], { error }: TraceQuery): boolean {
  if (error === undefined) return true;
  const wanted = error.toLowerCase();
  return spans.some(
    (span) => span.status === 'error' && errorTextOf(span).toLowerCase().includes(wanted),
  );
}

function summaryOf(spans: readonly SpanRecord[]): FoundTrace {
  let fromUs = Infinity;
  let untilUs = -Infinity;
  let errors = 0;
  let costUsd = 0;
  for (const span of spans) {
    fromUs = Math.min(fromUs, span.startedAtUs);
    untilUs = Math.max(untilUs, span.startedAtUs + span.durationUs);
    if (span.status === 'error') errors += 1;
    costUsd += numberAttribute(span, 'tutti.cost_usd');
  }
  const traceId = spans[0]?.traceId ?? '';
  const durationUs = untilUs - fromUs;
  return { traceId, name: rootNameOf(spans), startedAtUs: fromUs, durationUs, errors, costUsd };
}

function isInRange(found: FoundTrace, query: TraceQuery): boolean {
  const { minMs = 0, minCostUsd = 0, sinceMs = 0, untilMs = Infinity } = query;
  const startedMs = found.startedAtUs / 1_000;
  return (
    found.durationUs >= minMs * 1_000 &&
    found.costUsd >= minCostUsd &&
    startedMs >= sinceMs &&
    startedMs <= untilMs
  );
}
