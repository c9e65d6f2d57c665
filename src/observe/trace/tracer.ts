import type { Caller } from '../../contract/caller/index.ts';
import type { AttributeValue, SpanAttributes, SpanKind } from './span.ts';
import type { TraceMeta } from './trace-context.ts';

/** Runs work inside a span. Tracing never fails the work, and the work's outcome passes unchanged. */
export interface Tracer {
  traced<Result>(span: SpanStart, work: (scope: SpanScope) => Promise<Result>): Promise<Result>;
  /** The same for who hears of the end by a callback, which spares it a promise. */
  open(span: SpanStart): RunningSpan;
}

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes?: SpanAttributes;
  /** `_meta` of the request this work answers; the trace goes on from its `traceparent`. */
  readonly parentMeta?: Readonly<Record<string, unknown>>;
  /** Who may see the span; the local caller when not given. */
  readonly caller?: Caller;
}

export interface SpanScope {
  readonly traceId: string;
  readonly spanId: string;
  setAttributes(attributes: Readonly<Record<string, AttributeValue | undefined>>): void;
  /** Marks the span as failed though the work returns: with an error, or the message of a tool's own failure. */
  fail(error: unknown): void;
  /** Records that whoever wanted the work gave up: what it throws after that is no failure. */
  cancel(): void;
  /** What to put into `params._meta` of calls made on behalf of this span. */
  outgoingMeta(): TraceMeta;
}

/** A span that lasts until it is ended. */
export interface RunningSpan extends SpanScope {
  /** Runs what begins the work inside the span; all that follows from it is inside too. */
  runIn<Result>(work: () => Result): Result;
  /** Only the first time counts. */
  end(): void;
}
