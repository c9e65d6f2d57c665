import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpanContext } from './trace-context.ts';

/** The span that the running code belongs to, and what its children need of it. */
export interface ActiveSpan {
  readonly context: SpanContext;
  readonly baggage: string | undefined;
  readonly startedAtUs: number;
  /** Reading of the monotonic clock when the span began. */
  readonly startedTickMs: number;
}

/** Ids of the running span, for log lines. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** Follows the running span through callbacks and promises. Log and tracer share one. */
export class ActiveSpans {
  readonly #storage = new AsyncLocalStorage<ActiveSpan>();

  current(): ActiveSpan | undefined {
    return this.#storage.getStore();
  }

  ids(): SpanIds | undefined {
    const active = this.#storage.getStore();
    return active && { traceId: active.context.traceId, spanId: active.context.spanId };
  }

  runIn<Result>(span: ActiveSpan, work: () => Result): Result {
    return this.#storage.run(span, work);
  }
}
