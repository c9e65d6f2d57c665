import type { Caller } from '../../src/contract/caller/index.ts';
import type { SpanRecord } from '../../src/observe/trace/span.ts';
import { traceLimits } from '../../src/observe/trace/trace-limits.ts';
import type {
  TraceMatch,
  TraceRetention,
  TraceStore,
  TraceSummary,
} from '../../src/observe/trace/trace-store.ts';

/** Keeps spans in memory, for tests of what records or reads them. */
export class MemoryTraceStore implements TraceStore {
  #spans: SpanRecord[] = [];

  get all(): readonly SpanRecord[] {
    return this.#spans;
  }

  async record(spans: readonly SpanRecord[]): Promise<void> {
    for (const span of spans) {
      const isThere = this.#spans.some(
        (kept) => kept.traceId === span.traceId && kept.spanId === span.spanId,
      );
      if (!isThere) this.#spans.push(structuredClone(span));
    }
  }

  async find(caller: Caller, idOrPrefix: string): Promise<TraceMatch> {
    const own = this.#of(caller).filter((span) => span.traceId.startsWith(idOrPrefix));
    const traceIds = [...new Set(own.map((span) => span.traceId))].sort();
    if (traceIds.length === 0) return { kind: 'unknown' };
    if (traceIds.length > 1) {
      return { kind: 'ambiguous', traceIds: traceIds.slice(0, traceLimits.maxCandidates) };
    }
    return { kind: 'found', spans: own.slice(0, traceLimits.maxSpansPerTrace) };
  }

  async recent(caller: Caller, limit: number): Promise<readonly TraceSummary[]> {
    return [...Map.groupBy(this.#of(caller), (span) => span.traceId).values()]
      .map(summarize)
      .sort((a, b) => b.startedAtUs - a.startedAtUs || (a.traceId < b.traceId ? -1 : 1))
      .slice(0, Math.min(limit, traceLimits.maxListedTraces));
  }

  async latest(caller: Caller, maxSpans: number): Promise<readonly SpanRecord[]> {
    return this.#spans.filter((span) => span.callerId === caller.id).slice(-maxSpans);
  }

  async prune(retention: TraceRetention): Promise<number> {
    const before = this.#spans.length;
    const young = this.#spans.filter((span) => span.startedAtUs >= retention.beforeMs * 1000);
    this.#spans = young.slice(Math.max(0, young.length - retention.maxSpans));
    return before - this.#spans.length;
  }

  #of(caller: Caller): SpanRecord[] {
    return this.#spans
      .filter((span) => span.callerId === caller.id)
      .sort((a, b) => a.startedAtUs - b.startedAtUs);
  }
}

function summarize(spans: readonly SpanRecord[]): TraceSummary {
  const startedAtUs = Math.min(...spans.map((span) => span.startedAtUs));
  const endedAtUs = Math.max(...spans.map((span) => span.startedAtUs + span.durationUs));
  const runId = spans[0]?.attributes['tutti.run.id'];
  return {
    traceId: spans[0]?.traceId ?? '',
    name: spans[0]?.name ?? '',
    startedAtUs,
    durationUs: endedAtUs - startedAtUs,
    spans: spans.length,
    errors: spans.filter((span) => span.status === 'error').length,
    isFailed: spans[0]?.status === 'error',
    runId: typeof runId === 'string' ? runId : null,
  };
}
