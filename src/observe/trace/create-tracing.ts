import { setTimeout } from 'node:timers/promises';
import { AppError, systemClock, type Clock, type Log } from '../../kernel/index.ts';
import {
  type ActiveSpans,
  spanAttribute,
  type SpanRecord,
  type SpanScope,
  type SpanStart,
  type Tracer,
} from './span.ts';
import { BatchQueue, type QueueOptions } from './batch-queue.ts';
import { OpenSpan, RandomIds, RedactedStarts, type SpanSurroundings } from './open-span.ts';
import {
  createOtlpExporter,
  type FinishedSpan,
  type OtlpOptions,
  type SpanExporter,
} from './otlp-exporter.ts';
import { readTraceMeta, type SpanContext } from './trace-context.ts';
import { traceLimits } from './trace-limits.ts';
import type { TraceRetention, TraceStore } from './trace-store.ts';

export interface TracingOptions {
  readonly activeSpans: ActiveSpans;
  readonly log: Log;
  /** Where spans are kept; without it they are not. */
  readonly store?: TraceStore;
  /** Sees every span that ends, with the run it belongs to. Must neither wait nor throw. */
  readonly onSpan?: (record: SpanRecord, runId: string | undefined) => void;
  /** Learns how many spans were not kept, and where. */
  readonly onDropped?: (target: string, count: number) => void;
  /** A collector that gets the spans too. */
  readonly otlp?: OtlpOptions;
  readonly clock?: Clock;
  /** A monotonic clock in milliseconds with fractions. */
  readonly tickMs?: () => number;
  readonly limits?: Partial<TracingLimits>;
}

export interface TracingLimits {
  readonly maxQueuedSpans: number;
  readonly maxBatchSpans: number;
  readonly flushIntervalMs: number;
  readonly maxKeptSpans: number;
  readonly maxKeptAgeMs: number;
  readonly pruneAfterSpans: number;
}

/** The tracer and its background work. */
export interface Tracing extends Tracer {
  /** Ends when every span that ended before it is kept and handed to the collector, or given up on. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Spans in OpenTelemetry's model, made without its SDK: loading the SDK costs more than starting
 * Node, and only the export to a collector needs it. It is loaded when `otlp` is given.
 */
export function createTracing(options: TracingOptions): Tracing {
  const sinks = [storeQueue(options), collectorQueue(options)].filter((sink) => sink !== undefined);
  const clock = options.clock ?? systemClock;
  const tickMs = options.tickMs ?? (() => performance.now());
  const { activeSpans } = options;
  const ids = new RandomIds();
  const keep = (record: SpanRecord, { context, runId }: OpenSpan): void => {
    options.onSpan?.(record, runId);
    for (const sink of sinks) sink.add(record, context);
  };
  const redacted = new RedactedStarts();
  const around: Surroundings = { ids, redacted, clock, tickMs, activeSpans, keep };
  return {
    traced<Result>(start: SpanStart, work: (scope: SpanScope) => Promise<Result>): Promise<Result> {
      const span = openSpan(start, around);
      return startIn(span, work).then(
        (result) => {
          span.end();
          return result;
        },
        (error: unknown) => {
          span.fail(error);
          span.end();
          throw error;
        },
      );
    },
    open: (start) => openSpan(start, around),
    async flush() {
      await Promise.all(sinks.map((sink) => sink.flush()));
    },
    async close() {
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
}

function startIn<Result>(
  span: OpenSpan,
  work: (scope: SpanScope) => Promise<Result>,
): Promise<Result> {
  try {
    return span.runIn(() => work(span));
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Where finished spans go. Adding never waits and never throws. */
interface SpanSink {
  add(record: SpanRecord, context: SpanContext): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

interface Surroundings extends SpanSurroundings {
  readonly ids: RandomIds;
  readonly clock: Clock;
}

function openSpan(start: SpanStart, around: Surroundings): OpenSpan {
  const { ids, clock } = around;
  const above = around.activeSpans.current();
  const incoming = readTraceMeta(start.parentMeta ?? {});
  // A request's own context names the outermost span of its trace; spans opened since are nearer.
  const isInside = above && (!incoming.parent || incoming.parent.traceId === above.context.traceId);
  const isBelow = isInside && !(start.isFromLoop === true && incoming.parent);
  const parent = isBelow ? above.context : incoming.parent;
  const baggage = incoming.baggage ?? (isBelow ? above.baggage : undefined);
  const startedTickMs = around.tickMs();
  // Counted from the running span of the same trace, so that spans of one process line up to the microsecond.
  const startedAtUs = isInside
    ? above.startedAtUs + Math.round((startedTickMs - above.startedTickMs) * 1000)
    : Math.round(clock.now() * 1000);
  const spanId = ids.next(8);
  const context: SpanContext = parent
    ? { ...parent, spanId }
    : { traceId: ids.next(16), spanId, isSampled: true };
  const parentSpanId = parent?.spanId;
  const given = start.attributes?.[spanAttribute.runId];
  const runId = typeof given === 'string' ? given : isBelow ? above.runId : undefined;
  const place = { context, parentSpanId, baggage, startedAtUs, startedTickMs, runId };
  return new OpenSpan(start, place, around);
}

function storeQueue(options: TracingOptions): SpanSink | undefined {
  const { store, log } = options;
  if (!store) return undefined;
  const clock = options.clock ?? systemClock;
  let prunedAt = Number.NEGATIVE_INFINITY;
  const { pruneAfterSpans } = { ...traceLimits, ...options.limits };
  let writtenSince = 0;
  return spanQueue<SpanRecord>(options, {
    target: 'store',
    retry: {
      isWorthwhile: isBusy,
      pauseMs: traceLimits.busyPauseMs,
      maxCloseAttempts: traceLimits.maxCloseAttempts,
    },
    async write(batch) {
      await store.record(batch);
      writtenSince += batch.length;
      const isSoon = clock.now() - prunedAt < traceLimits.pruneIntervalMs;
      if (isSoon && writtenSince < pruneAfterSpans) return;
      prunedAt = clock.now();
      writtenSince = 0;
      await prune(store, retentionAt(prunedAt, options.limits), log);
    },
  });
}

function isBusy(error: unknown): boolean {
  return error instanceof AppError && error.code === 'store.busy';
}

/** Spans that stay too long are no reason to lose new ones. */
async function prune(store: TraceStore, retention: TraceRetention, log: Log): Promise<void> {
  try {
    const removed = await store.prune(retention);
    if (removed > 0) log.debug('pruned old spans', { removed });
  } catch (error) {
    log.warn('failed to prune old spans', { error });
  }
}

function retentionAt(nowMs: number, limits: Partial<TracingLimits> = {}): TraceRetention {
  const { maxKeptAgeMs, maxKeptSpans } = { ...traceLimits, ...limits };
  return { beforeMs: nowMs - maxKeptAgeMs, maxSpans: maxKeptSpans };
}

function collectorQueue(options: TracingOptions): SpanSink | undefined {
  const { otlp } = options;
  if (!otlp) return undefined;
  let exporter: Promise<SpanExporter> | undefined;
  let isGivenUp = false;
  const queue = spanQueue<FinishedSpan>(options, {
    target: 'collector',
    async write(batch) {
      if (isGivenUp) throw new Error('The collector did not take spans in time');
      exporter ??= createOtlpExporter(otlp);
      await (await exporter).export(batch);
    },
  });
  return {
    add: (record, context) => {
      if (context.isSampled) queue.add({ record, context });
    },
    flush: () => queue.flush(),
    async close() {
      const closing = queue.close();
      await Promise.race([
        closing,
        setTimeout(traceLimits.closeTimeoutMs, undefined, { ref: false }),
      ]);
      isGivenUp = true;
    },
  };
}

interface SpanTarget<Item> extends Pick<QueueOptions<Item>, 'write' | 'retry'> {
  /** Its name in the log. */
  readonly target: string;
}

function spanQueue<Item>(
  options: TracingOptions,
  { target, ...writing }: SpanTarget<Item>,
): BatchQueue<Item> {
  const limits = { ...traceLimits, ...options.limits };
  return new BatchQueue({
    maxQueued: limits.maxQueuedSpans,
    maxBatch: limits.maxBatchSpans,
    flushIntervalMs: limits.flushIntervalMs,
    ...writing,
    onDropped: (count, reason) => {
      options.log.warn('spans dropped', { target, count, reason });
      options.onDropped?.(target, count);
    },
  });
}
