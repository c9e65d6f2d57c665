import { localCaller } from '../../contract/caller/index.ts';
import { AppError } from '../../kernel/index.ts';
import { redactText } from '../redact/redact-text.ts';
import type { ActiveSpan } from './active-span.ts';
import { spanAttribute, toolErrorType } from './conventions.ts';
import { redactAttributes, type RedactedStarts } from './redacted-starts.ts';
import type { AttributeValue, SpanRecord, SpanStatus } from './span.ts';
import { writeTraceMeta, type SpanContext, type TraceMeta } from './trace-context.ts';
import { traceLimits } from './trace-limits.ts';
import type { SpanScope, SpanStart } from './tracer.ts';

/** A span that ended, with what exporting it needs beside the record. */
export interface FinishedSpan {
  readonly record: SpanRecord;
  readonly context: SpanContext;
}

/** Where a new span stands and when it began. */
export interface SpanPlace {
  readonly context: SpanContext;
  readonly parentSpanId: string | undefined;
  readonly baggage: string | undefined;
  readonly startedAtUs: number;
  readonly startedTickMs: number;
}

/** A span whose work is still running. */
export class OpenSpan implements SpanScope, ActiveSpan {
  readonly context: SpanContext;
  readonly baggage: string | undefined;
  readonly startedAtUs: number;
  readonly startedTickMs: number;
  readonly #start: SpanStart;
  readonly #parentSpanId: string | undefined;
  readonly #redacted: RedactedStarts;
  /** All of them, once some were added to those it began with. */
  #attributes: Map<string, AttributeValue> | undefined;
  #status: SpanStatus = 'unset';
  #statusMessage: string | undefined;
  #isCancelled = false;

  constructor(start: SpanStart, place: SpanPlace, redacted: RedactedStarts) {
    this.context = place.context;
    this.baggage = place.baggage;
    this.startedAtUs = place.startedAtUs;
    this.startedTickMs = place.startedTickMs;
    this.#parentSpanId = place.parentSpanId;
    this.#start = start;
    this.#redacted = redacted;
  }

  get traceId(): string {
    return this.context.traceId;
  }

  get spanId(): string {
    return this.context.spanId;
  }

  setAttributes(attributes: Readonly<Record<string, AttributeValue | undefined>>): void {
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== undefined) this.#ownAttributes().set(key, value);
    }
  }

  fail(error: unknown): void {
    if (this.#isCancelled) return;
    if (isPlainAbort(error)) {
      this.cancel();
      return;
    }
    this.#status = 'error';
    this.#statusMessage = error instanceof Error ? error.message : String(error);
    const attributes = this.#ownAttributes();
    if (!attributes.has(spanAttribute.errorType)) {
      attributes.set(spanAttribute.errorType, typeOf(error));
    }
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#ownAttributes().set(spanAttribute.cancelled, true);
  }

  outgoingMeta(): TraceMeta {
    return writeTraceMeta(this.context, this.baggage);
  }

  end(durationUs: number): FinishedSpan {
    const { context, startedAtUs } = this;
    const { traceId, spanId } = context;
    const { kind, caller = localCaller } = this.#start;
    const { name, attributes: first } = this.#redacted.of(this.#start);
    const attributes = this.#attributes ? redactAttributes(this.#attributes) : first;
    const status = this.#status;
    const callerId = caller.id;
    const parentSpanId = this.#parentSpanId;
    const message = this.#statusMessage;
    const record: SpanRecord = {
      traceId,
      spanId,
      ...(parentSpanId ? { parentSpanId } : undefined),
      name,
      kind,
      startedAtUs,
      durationUs,
      status,
      attributes,
      callerId,
    };
    if (!message) return { context, record };
    const statusMessage = redactText(message, traceLimits.maxAttributeLength);
    return { context, record: { ...record, statusMessage } };
  }

  #ownAttributes(): Map<string, AttributeValue> {
    this.#attributes ??= new Map(Object.entries(this.#start.attributes ?? {}));
    return this.#attributes;
  }
}

/** What a signal without a reason of its own throws: a cancellation even if the work did not call it one. */
function isPlainAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function typeOf(error: unknown): string {
  if (error instanceof AppError) return error.code;
  return error instanceof Error ? error.name : toolErrorType;
}
