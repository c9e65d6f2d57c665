import type { Caller } from '../../contract/caller/index.ts';
import { AmbiguousTraceIdError, InvalidTraceIdError, TraceNotFoundError } from '../errors.ts';
import type { SpanRecord } from './span.ts';
import { traceLimits } from './trace-limits.ts';
import type { TraceStore } from './trace-store.ts';

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
