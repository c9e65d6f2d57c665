import { AppError } from '../../kernel/index.ts';
import { redactText } from '../redact/redact-text.ts';
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
  readonly parentSpanId?: string;
  readonly baggage?: string;
  readonly startedAtUs: number;
  readonly callerId: string;
}

/** A span whose work is still running. */
export class OpenSpan implements SpanScope {
  readonly #start: SpanStart;
  readonly #place: SpanPlace;
  readonly #redacted: RedactedStarts;
  /** All of them, once some were added to those it began with. */
  #attributes: Map<string, AttributeValue> | undefined;
  #status: SpanStatus = 'unset';
  #statusMessage: string | undefined;
  #isCancelled = false;

  constructor(start: SpanStart, place: SpanPlace, redacted: RedactedStarts) {
    this.#start = start;
    this.#place = place;
    this.#redacted = redacted;
  }

  get traceId(): string {
    return this.#place.context.traceId;
  }

  get spanId(): string {
    return this.#place.context.spanId;
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
    return writeTraceMeta(this.#place.context, this.#place.baggage);
  }

  end(durationUs: number): FinishedSpan {
    const { context, parentSpanId, startedAtUs, callerId } = this.#place;
    const { name, attributes } = this.#redacted.of(this.#start);
    const message = this.#statusMessage;
    const record: SpanRecord = {
      traceId: context.traceId,
      spanId: context.spanId,
      ...(parentSpanId ? { parentSpanId } : undefined),
      name,
      kind: this.#start.kind,
      startedAtUs,
      durationUs,
      status: this.#status,
      ...(message
        ? { statusMessage: redactText(message, traceLimits.maxAttributeLength) }
        : undefined),
      attributes: this.#attributes ? redactAttributes(this.#attributes) : attributes,
      callerId,
    };
    return { context, record };
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
