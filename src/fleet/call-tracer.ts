import type { Caller } from '../contract/caller/index.ts';
import type { CallFacts } from '../contract/server/index.ts';

/** What a call wants recorded about itself. */
export interface TracedCall {
  readonly name: string;
  readonly kind: 'server';
  readonly attributes: Readonly<Record<string, string>>;
  /** `_meta` of the request: may carry the caller's `traceparent`. */
  readonly parentMeta: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
}

export interface TraceScope {
  setAttributes(attributes: CallFacts): void;
  /** Marks the span as failed though the call returns: a tool's own failure is a result. */
  fail(message: string): void;
  /** Records that the caller gave up: what the call throws after that is no failure. */
  cancel(): void;
  /** Trace context for the next hop, to be merged into its `_meta`. */
  outgoingMeta(): object;
}

/** The fleet's port to tracing: every call runs inside a span. */
export interface CallTracer {
  traced<Result>(call: TracedCall, work: (scope: TraceScope) => Promise<Result>): Promise<Result>;
}
