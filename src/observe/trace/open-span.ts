import { randomBytes } from 'node:crypto';
import { localCaller } from '../../contract/caller/index.ts';
import { AppError } from '../../kernel/index.ts';
import { redactText } from '../redact/redact-text.ts';
import { redactValue, type ValueLimits } from '../redact/redact-value.ts';
import conventions from './conventions.json' with { type: 'json' };
import {
  type ActiveSpan,
  type ActiveSpans,
  type AttributeValue,
  type RunningSpan,
  spanAttribute,
  type SpanAttributes,
  type SpanRecord,
  type SpanStart,
  type SpanStatus,
  toolErrorType,
} from './span.ts';
import { type SpanContext, type TraceMeta, writeTraceMeta } from './trace-context.ts';
import { traceLimits } from './trace-limits.ts';

/** What the spans of one tracer share. */
export interface SpanSurroundings {
  readonly redacted: RedactedStarts;
  readonly activeSpans: ActiveSpans;
  readonly tickMs: () => number;
  /** Takes the record of a span that ended. Neither waits nor throws. */
  readonly keep: (record: SpanRecord, span: OpenSpan) => void;
}

/** Where a new span stands and when it began. */
interface SpanPlace {
  readonly context: SpanContext;
  readonly parentSpanId: string | undefined;
  readonly baggage: string | undefined;
  readonly startedAtUs: number;
  readonly startedTickMs: number;
  readonly runId: string | undefined;
}

/** A span whose work is still running. */
export class OpenSpan implements RunningSpan, ActiveSpan {
  readonly context: SpanContext;
  readonly baggage: string | undefined;
  readonly startedAtUs: number;
  readonly startedTickMs: number;
  readonly runId: string | undefined;
  readonly #start: SpanStart;
  readonly #parentSpanId: string | undefined;
  readonly #around: SpanSurroundings;
  /** All of them, once some were added to those it began with. */
  #attributes: Map<string, AttributeValue> | undefined;
  #status: SpanStatus = 'unset';
  #statusMessage: string | undefined;
  #isCancelled = false;
  #isOver = false;

  constructor(start: SpanStart, place: SpanPlace, around: SpanSurroundings) {
    this.context = place.context;
    this.baggage = place.baggage;
    this.startedAtUs = place.startedAtUs;
    this.startedTickMs = place.startedTickMs;
    this.runId = place.runId;
    this.#parentSpanId = place.parentSpanId;
    this.#start = start;
    this.#around = around;
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

  runIn<Result>(work: () => Result): Result {
    return this.#around.activeSpans.runIn(this, work);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const elapsedMs = this.#around.tickMs() - this.startedTickMs;
    this.#around.keep(this.#record(Math.max(0, Math.round(elapsedMs * 1000))), this);
  }

  /** In one piece and nothing beside it: it waits to be written, and each object that waits costs. */
  #record(durationUs: number): SpanRecord {
    const { kind, caller = localCaller } = this.#start;
    const { name, attributes: first } = this.#around.redacted.of(this.#start);
    const record: Writable<SpanRecord> = {
      traceId: this.context.traceId,
      spanId: this.context.spanId,
      name,
      kind,
      startedAtUs: this.startedAtUs,
      durationUs,
      status: this.#status,
      attributes: this.#attributes ? redactAttributes(this.#attributes) : first,
      callerId: caller.id,
    };
    if (this.#parentSpanId) record.parentSpanId = this.#parentSpanId;
    if (this.#statusMessage) {
      record.statusMessage = redactText(this.#statusMessage, traceLimits.maxAttributeLength);
    }
    return record;
  }

  #ownAttributes(): Map<string, AttributeValue> {
    this.#attributes ??= new Map(Object.entries(this.#start.attributes ?? {}));
    return this.#attributes;
  }
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** What a signal without a reason of its own throws: a cancellation even if the work did not call it one. */
function isPlainAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function typeOf(error: unknown): string {
  if (error instanceof AppError) return error.code;
  return error instanceof Error ? error.name : toolErrorType;
}

const attributeLimits: ValueLimits = {
  maxDepth: 3,
  maxEntries: traceLimits.maxAttributes,
  maxValues: 1_000,
  maxStringLength: traceLimits.maxAttributeLength,
};

const noAttributes: SpanAttributes = Object.freeze({});

/** Name and attributes of a span without secrets. */
interface RedactedStart {
  readonly name: string;
  readonly attributes: SpanAttributes;
}

/**
 * What spans begin with, without secrets. Looking for secrets costs more than the rest of a span, and
 * calls of the same tool begin alike: the same attributes object is redacted once.
 */
export class RedactedStarts {
  readonly #known = new WeakMap<SpanAttributes, RedactedStart & { readonly rawName: string }>();

  of({ name: rawName, attributes = noAttributes }: SpanStart): RedactedStart {
    const known = this.#known.get(attributes);
    if (known?.rawName === rawName) return known;
    const start = {
      rawName,
      name: redactText(rawName, traceLimits.maxNameLength),
      attributes: Object.freeze(redactAttributes(new Map(Object.entries(attributes)))),
    };
    this.#known.set(attributes, start);
    return start;
  }
}

/** Redacted under the names they were given; they are written under those of the conventions or our own. */
function redactAttributes(attributes: ReadonlyMap<string, unknown>): SpanAttributes {
  // `redactValue` makes a plain object of a map, and keeps strings, numbers, booleans and lists of them as such.
  const redacted = redactValue(attributes, attributeLimits) as SpanAttributes;
  const written: Record<string, AttributeValue> = {};
  for (const [key, value] of Object.entries(redacted)) written[attributeKey(key)] = value;
  return written;
}

/** Random bytes fetched at once. */
const poolBytes = 4_096;
const allZero = /^0*$/;

/** Gives random ids. They are cut from one long text, because making each costs more than the rest of a span. */
export class RandomIds {
  #pool = '';
  #used = 0;

  /** Lower-case hex digits, two a byte; never all zero, which W3C reserves for "none". */
  next(bytes: 8 | 16): string {
    const digits = bytes * 2;
    if (this.#used + digits > this.#pool.length) {
      this.#pool = randomBytes(poolBytes).toString('hex');
      this.#used = 0;
    }
    const id = this.#pool.slice(this.#used, this.#used + digits);
    this.#used += digits;
    return id.startsWith('0') && allZero.test(id) ? this.next(bytes) : id;
  }
}

const known: ReadonlySet<string> = new Set(conventions.attributes);
const ownPrefix = 'tutti.';

/** The key an attribute is written under: one of the conventions or one of our own, so that it never takes a foreign meaning. */
function attributeKey(key: string): string {
  return known.has(key) || key.startsWith(ownPrefix) ? key : `${ownPrefix}${key}`;
}
