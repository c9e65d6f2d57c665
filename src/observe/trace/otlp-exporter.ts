import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { Secret } from '../../kernel/index.ts';
import { spanKinds, spanStatuses, type SpanRecord } from './span.ts';
import type { SpanContext } from './trace-context.ts';
import { traceLimits } from './trace-limits.ts';

/** A collector that takes OTLP over HTTP. */
export interface OtlpOptions {
  /** Its address, with or without the `/v1/traces` that spans are sent to. */
  readonly endpoint: string;
  readonly headers?: Readonly<Record<string, Secret>>;
  readonly serviceVersion?: string;
}

/** A span that ended, with what exporting it needs beside the record. */
export interface FinishedSpan {
  readonly record: SpanRecord;
  readonly context: SpanContext;
}

export interface SpanExporter {
  /** Rejects when the collector did not take the spans in `traceLimits.exportTimeoutMs`. */
  export(spans: readonly FinishedSpan[]): Promise<void>;
}

type OtlpSpan = Parameters<OTLPTraceExporter['export']>[0][number];

const tracesPath = '/v1/traces';

/** Loads OpenTelemetry's exporter, which takes longer than most programs need to start. */
export async function createOtlpExporter(options: OtlpOptions): Promise<SpanExporter> {
  const otlp = await import('@opentelemetry/exporter-trace-otlp-http');
  const headers = Object.entries(options.headers ?? {});
  const exporter = new otlp.OTLPTraceExporter({
    url: tracesUrl(options.endpoint),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, value.reveal()])),
    timeoutMillis: traceLimits.exportTimeoutMs,
  });
  const resource = describeService(options.serviceVersion);
  return {
    export: (spans) =>
      new Promise((resolve, reject) => {
        const converted = spans.map((span) => toOtlpSpan(span, resource));
        if (converted.length === 0) return resolve();
        exporter.export(converted, (result) => {
          if (result.error) reject(result.error);
          else resolve();
        });
      }),
  };
}

function tracesUrl(endpoint: string): string {
  const base = endpoint.endsWith('/') ? endpoint.slice(0, -1) : endpoint;
  return base.endsWith(tracesPath) ? base : `${base}${tracesPath}`;
}

function describeService(version: string | undefined): OtlpSpan['resource'] {
  const attributes = {
    'service.name': 'tutti',
    ...(version ? { 'service.version': version } : {}),
  };
  const resource: OtlpSpan['resource'] = {
    attributes,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  };
  return resource;
}

function toOtlpSpan({ record, context }: FinishedSpan, resource: OtlpSpan['resource']): OtlpSpan {
  const { traceId, parentSpanId, statusMessage } = record;
  const traceFlags = context.isSampled ? 1 : 0;
  return {
    name: record.name,
    // Both tables list OpenTelemetry's values in the order of its numbers.
    kind: spanKinds.indexOf(record.kind),
    status: {
      code: spanStatuses.indexOf(record.status),
      ...(statusMessage ? { message: statusMessage } : {}),
    },
    spanContext: () => ({ traceId, spanId: record.spanId, traceFlags }),
    ...(parentSpanId ? { parentSpanContext: { traceId, spanId: parentSpanId, traceFlags } } : {}),
    startTime: toHrTime(record.startedAtUs),
    endTime: toHrTime(record.startedAtUs + record.durationUs),
    duration: toHrTime(record.durationUs),
    ended: true,
    attributes: structuredClone(record.attributes),
    links: [],
    events: [],
    resource,
    instrumentationScope: { name: 'tutti' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds and nanoseconds. */
function toHrTime(us: number): [number, number] {
  const seconds = Math.floor(us / 1_000_000);
  return [seconds, Math.round((us - seconds * 1_000_000) * 1000)];
}
