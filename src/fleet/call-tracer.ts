import type { Caller } from '../contract/caller/index.ts';
import type { CallContext, CallFacts } from '../contract/server/index.ts';

/** What a call wants recorded about itself. */
export interface TracedCall {
  readonly name: string;
  readonly kind: 'server';
  readonly attributes: Readonly<Record<string, string>>;
  /** `_meta` of the request: may carry the caller's `traceparent`. */
  readonly parentMeta: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
}

/** Runs work so that what it logs and traces belongs to a span. */
export type RunIn = <Result>(work: () => Result) => Result;

/** The span of one call, open until it is ended. */
export interface CallSpan {
  setAttributes(attributes: CallFacts): void;
  /** Marks the span as failed: with an error, or the message of a tool's own failure, which is a result. */
  fail(error: unknown): void;
  /** Records that the caller gave up: what the call throws after that is no failure. */
  cancel(): void;
  /** Trace context for the next hop, to be merged into its `_meta`. */
  outgoingMeta(): CallContext['meta'];
  /** Runs what begins the call inside the span; all that follows from it is inside too. */
  runIn<Result>(work: () => Result): Result;
  /** Only the first time counts. */
  end(): void;
}

/** The fleet's port to tracing: every call runs inside a span. */
export interface CallTracer {
  open(call: TracedCall): CallSpan;
}
