import { traceLimits } from './trace-limits.ts';

/** The trace context of a message, as W3C defines it and MCP carries it in `_meta`, unprefixed. */
export interface TraceMeta extends Readonly<Record<string, unknown>> {
  readonly traceparent: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

/** The position of a span in a trace, to be continued elsewhere. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether the originator of the trace wants it exported. */
  readonly isSampled: boolean;
  readonly tracestate?: string;
}

export interface IncomingContext {
  readonly parent?: SpanContext;
  readonly baggage?: string;
}

const traceparentPattern =
  /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,256})?$/;
const printableAscii = /^[\x20-\x7e]+$/;
const sampledFlag = 1;
const nothingIncoming: IncomingContext = Object.freeze({});

/** Reads the trace context from `_meta`. What is not valid is ignored: a caller's mistake must not fail the call. */
export function readTraceMeta(meta: Readonly<Record<string, unknown>>): IncomingContext {
  if (meta['traceparent'] === undefined && meta['baggage'] === undefined) return nothingIncoming;
  const parent = readTraceparent(meta['traceparent']);
  const baggage = readHeader(meta['baggage'], traceLimits.maxBaggageLength);
  const tracestate = readHeader(meta['tracestate'], traceLimits.maxTracestateLength);
  return {
    ...(parent ? { parent: tracestate ? { ...parent, tracestate } : parent } : {}),
    ...(baggage ? { baggage } : {}),
  };
}

export function writeTraceMeta(context: SpanContext, baggage: string | undefined): TraceMeta {
  const flags = context.isSampled ? '01' : '00';
  const traceparent = `00-${context.traceId}-${context.spanId}-${flags}`;
  if (!context.tracestate && !baggage) return { traceparent };
  return {
    traceparent,
    ...(context.tracestate ? { tracestate: context.tracestate } : {}),
    ...(baggage ? { baggage } : {}),
  };
}

function readTraceparent(value: unknown): SpanContext | undefined {
  if (typeof value !== 'string') return undefined;
  const match = traceparentPattern.exec(value);
  if (!match) return undefined;
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = match;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (isAllZero(traceId) || isAllZero(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) === sampledFlag };
}

function readHeader(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string' || value.length > maxLength) return undefined;
  return printableAscii.test(value) ? value : undefined;
}

function isAllZero(hex: string): boolean {
  return /^0+$/.test(hex);
}
