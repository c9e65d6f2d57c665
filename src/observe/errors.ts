import { AppError } from '../kernel/index.ts';
import { traceLimits } from './trace/trace-limits.ts';

/** What was given is no trace id and no beginning of one. */
export class InvalidTraceIdError extends AppError {
  readonly code = 'observe.invalid_trace_id';

  constructor(id: string) {
    const shown = id.length > 64 ? `${id.slice(0, 64)}…` : id;
    super(
      `"${shown}" is not a trace id. Give its 32 hex digits, or at least the first ${traceLimits.minPrefixLength}`,
      { details: { id: shown } },
    );
  }
}

export class TraceNotFoundError extends AppError {
  readonly code = 'observe.trace_not_found';

  constructor(id: string) {
    super(
      `No trace "${id}" is kept. It may be older than retention, or of another data directory`,
      {
        details: { id },
      },
    );
  }
}

/** Several traces begin with what was given. */
export class AmbiguousTraceIdError extends AppError {
  readonly code = 'observe.ambiguous_trace_id';

  constructor(id: string, traceIds: readonly string[]) {
    super(`Several traces begin with "${id}". Give more digits of one of: ${traceIds.join(', ')}`, {
      details: { id, traceIds },
    });
  }
}
