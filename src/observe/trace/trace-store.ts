import type { Caller } from '../../contract/caller/index.ts';
import { AmbiguousTraceIdError, InvalidTraceIdError, TraceNotFoundError } from '../errors.ts';
import type { SpanRecord } from './span.ts';
import { traceLimits } from './trace-limits.ts';

/** Where finished spans are kept. A caller sees only spans made on its own behalf. */
export interface TraceStore {
  /**
   * Keeps all spans or none. A span that is there already stays as it is. Throws `store.busy` rather
   * than block the program while another one holds what is written to.
   */
  record(spans: readonly SpanRecord[]): Promise<void>;
  /** The trace with this id, or the only one whose id starts with it (lower-case hex). */
  find(caller: Caller, idOrPrefix: string): Promise<TraceMatch>;
  /** The traces that began last, newest first. */
  recent(caller: Caller, limit: number): Promise<readonly TraceSummary[]>;
  /** At most so many spans, those recorded last, in no certain order. */
  latest(caller: Caller, maxSpans: number): Promise<readonly SpanRecord[]>;
  /** Removes what retention no longer keeps, of every caller; says how many spans went. */
  prune(retention: TraceRetention): Promise<number>;
}

/** How much is read back at once. */
export interface TraceReadLimits {
  readonly maxSpansPerTrace: number;
  readonly maxListedTraces: number;
  readonly maxCandidates: number;
}

export type TraceMatch =
  | { readonly kind: 'found'; readonly spans: readonly SpanRecord[] }
  | { readonly kind: 'ambiguous'; readonly traceIds: readonly string[] }
  | { readonly kind: 'unknown' };

export interface TraceSummary {
  readonly traceId: string;
  /** The name of the span that began first. */
  readonly name: string;
  readonly startedAtUs: number;
  /** From the first beginning to the last end. */
  readonly durationUs: number;
  readonly spans: number;
  /** Spans that failed; what failed inside may have been retried since. */
  readonly errors: number;
  /** The span that began first failed, and with it the whole. */
  readonly isFailed: boolean;
  /** The run whose steps it traces, which knows its own outcome; null for any other call. */
  readonly runId: string | null;
}

export interface TraceRetention {
  /** Spans that began before this time go. */
  readonly beforeMs: number;
  /** Of the rest only the ones recorded last stay. */
  readonly maxSpans: number;
}

const traceIdLength = 32;

/**
 * The spans of the trace that a user named by its id or the beginning of it. Throws
 * `observe.invalid_trace_id`, `observe.trace_not_found` or `observe.ambiguous_trace_id`.
 */
export async function findTrace(
  store: TraceStore,
  caller: Caller,
  id: string,
): Promise<readonly SpanRecord[]> {
  const wanted = id.trim().toLowerCase();
  const isWellFormed =
    wanted.length >= traceLimits.minPrefixLength &&
    wanted.length <= traceIdLength &&
    /^[0-9a-f]+$/.test(wanted);
  if (!isWellFormed) throw new InvalidTraceIdError(id);
  const match = await store.find(caller, wanted);
  if (match.kind === 'found') return match.spans;
  if (match.kind === 'unknown') throw new TraceNotFoundError(wanted);
  throw new AmbiguousTraceIdError(wanted, match.traceIds);
}
