import type { Caller } from '../contract/caller/index.ts';
import type { CallContext, CallFacts } from '../contract/server/index.ts';

/** What is recorded about a call. */
export interface TracedCall {
  readonly name: string;
  readonly kind: 'server';
  readonly attributes: Readonly<Record<string, string>>;
  /** `_meta` of the request: may carry the caller's `traceparent`. */
  readonly parentMeta: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
}

/** Runs work inside a span: its logs and traces belong to that span. */
export type RunIn = <Result>(work: () => Result) => Result;

/** The span of one call, open until it is ended. */
export interface CallSpan {
  setAttributes(attributes: CallFacts): void;
  /** Marks the span as failed: with an error, or the message of a tool's own failure, which is a result. */
  fail(error: unknown): void;
  /** Records that the caller cancelled: errors thrown afterwards are not failures. */
  cancel(): void;
  /** Trace context for the next hop, to be merged into its `_meta`. */
  outgoingMeta(): CallContext['meta'];
  /** Starts the call inside the span; its asynchronous continuations stay inside. */
  runIn<Result>(work: () => Result): Result;
  /** Idempotent. */
  end(): void;
}

/** The fleet's port to tracing: every call runs inside a span. */
export interface CallTracer {
  open(call: TracedCall): CallSpan;
}
