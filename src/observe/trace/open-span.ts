import { AppError } from '../../kernel/index.ts';
import { redactText } from '../redact/redact-text.ts';
import { redactValue, type ValueLimits } from '../redact/redact-value.ts';
import { spanAttribute, toolErrorType } from './conventions.ts';
import type { AttributeValue, SpanAttributes, SpanRecord, SpanStatus } from './span.ts';
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

const attributeLimits: ValueLimits = {
  maxDepth: 3,
  maxEntries: traceLimits.maxAttributes,
  maxValues: 1_000,
  maxStringLength: traceLimits.maxAttributeLength,
};

/** A span whose work is still running. */
export class OpenSpan implements SpanScope {
  readonly #start: SpanStart;
  readonly #place: SpanPlace;
  readonly #attributes: Map<string, AttributeValue>;
  #status: SpanStatus = 'unset';
  #statusMessage: string | undefined;
  #isCancelled = false;

  constructor(start: SpanStart, place: SpanPlace) {
    this.#start = start;
    this.#place = place;
    this.#attributes = new Map(Object.entries(start.attributes ?? {}));
  }

  get traceId(): string {
    return this.#place.context.traceId;
  }

  get spanId(): string {
    return this.#place.context.spanId;
  }

  setAttributes(attributes: Readonly<Record<string, AttributeValue | undefined>>): void {
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== undefined) this.#attributes.set(key, value);
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
    if (!this.#attributes.has(spanAttribute.errorType)) {
      this.#attributes.set(spanAttribute.errorType, typeOf(error));
    }
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#attributes.set(spanAttribute.cancelled, true);
  }

  outgoingMeta(): TraceMeta {
    return writeTraceMeta(this.#place.context, this.#place.baggage);
  }

  end(durationUs: number): FinishedSpan {
    const { context, parentSpanId, startedAtUs, callerId } = this.#place;
    const message = this.#statusMessage;
    return {
      context,
      record: {
        traceId: context.traceId,
        spanId: context.spanId,
        ...(parentSpanId ? { parentSpanId } : {}),
        name: redactText(this.#start.name, traceLimits.maxNameLength),
        kind: this.#start.kind,
        startedAtUs,
        durationUs,
        status: this.#status,
        ...(message ? { statusMessage: redactText(message, traceLimits.maxAttributeLength) } : {}),
        attributes: this.#redactedAttributes(),
        callerId,
      },
    };
  }

  #redactedAttributes(): SpanAttributes {
    const redacted = redactValue(this.#attributes, attributeLimits);
    // `redactValue` makes a plain object of a map, and keeps strings, numbers, booleans and lists of them as such.
    return redacted as SpanAttributes;
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
