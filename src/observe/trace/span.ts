/** OpenTelemetry's span kinds, in words. */
export const spanKinds = ['internal', 'server', 'client', 'producer', 'consumer'] as const;
export type SpanKind = (typeof spanKinds)[number];

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
