import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from '../../contract/caller/index.ts';
import type { SpanContext, TraceMeta } from './trace-context.ts';

/** OpenTelemetry's span kinds, in words. */
export const spanKinds = ['internal', 'server', 'client', 'producer', 'consumer'] as const;
type SpanKind = (typeof spanKinds)[number];

export const spanStatuses = ['unset', 'ok', 'error'] as const;
export type SpanStatus = (typeof spanStatuses)[number];

export type AttributeValue =
  | string
  | number
  | boolean
  | readonly string[]
  | readonly number[]
  | readonly boolean[];

export type SpanAttributes = Readonly<Record<string, AttributeValue>>;

/** A finished span as it is kept and shown: plain data, secrets already hidden. */
export interface SpanRecord {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  /** The span that caused this one; it may live in another system and so be unknown here. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: SpanKind;
  /** Microseconds since the epoch: a tool call is often shorter than a millisecond. */
  readonly startedAtUs: number;
  readonly durationUs: number;
  readonly status: SpanStatus;
  readonly statusMessage?: string;
  readonly attributes: SpanAttributes;
  readonly callerId: string;
}

/** Runs work inside a span. Tracing never fails the work, and the work's outcome passes unchanged. */
export interface Tracer {
  traced<Result>(span: SpanStart, work: (scope: SpanScope) => Promise<Result>): Promise<Result>;
  /** The same for callers that learn of the end by a callback, which saves a promise. */
  open(span: SpanStart): RunningSpan;
}

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes?: SpanAttributes;
  /** `_meta` of the request this work answers; the trace goes on from its `traceparent`. */
  readonly parentMeta?: Readonly<Record<string, unknown>>;
  /**
   * Work begun by a loop that serves several traces or runs: the running span may be that of another, so only
   * `parentMeta` says what caused it.
   */
  readonly isFromLoop?: boolean;
  /** The caller that may see the span; the local one when not given. */
  readonly caller?: Caller;
}

export interface SpanScope {
  readonly traceId: string;
  readonly spanId: string;
  setAttributes(attributes: Readonly<Record<string, AttributeValue | undefined>>): void;
  /** Marks the span as failed though the work returns: with an error, or the message of a tool's own failure. */
  fail(error: unknown): void;
  /** Records that the caller gave up: an error after that is no failure. */
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

/** The span that the running code belongs to, and what its children need of it. */
export interface ActiveSpan {
  readonly context: SpanContext;
  readonly baggage: string | undefined;
  readonly startedAtUs: number;
  /** Reading of the monotonic clock when the span began. */
  readonly startedTickMs: number;
  /** The run that the span belongs to. */
  readonly runId: string | undefined;
}

/** Ids of the running span, for log lines. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
  readonly runId?: string;
}

/** Follows the running span through callbacks and promises. Log and tracer share one. */
export class ActiveSpans {
  readonly #storage = new AsyncLocalStorage<ActiveSpan>();

  current(): ActiveSpan | undefined {
    return this.#storage.getStore();
  }

  ids(): SpanIds | undefined {
    const active = this.#storage.getStore();
    if (!active) return undefined;
    const { runId, context } = active;
    const ids = { traceId: context.traceId, spanId: context.spanId };
    return runId === undefined ? ids : { ...ids, runId };
  }

  runIn<Result>(span: ActiveSpan, work: () => Result): Result {
    return this.#storage.run(span, work);
  }
}

/**
 * Attribute names that tracing itself reads or writes. `error.type` is OpenTelemetry's; its
 * conventions for GenAI and MCP still change, so they are kept as our own.
 */
export const spanAttribute = {
  errorType: 'error.type',
  /** The caller or the connection gave up; not a failure. */
  cancelled: 'tutti.cancelled',
  /** Spans inside it belong to the run, too. */
  runId: 'tutti.run.id',
} as const;

/** `error.type` of a call whose tool answered with `isError`. */
export const toolErrorType = 'tool_error';
