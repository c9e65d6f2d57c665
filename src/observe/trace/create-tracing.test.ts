import { describe, expect, it } from 'vitest';
import { AppError } from '../../kernel/index.ts';
import { MemoryTraceStore } from '../../../testkit/observe/memory-trace-store.ts';
import {
  plainSecret,
  plantedNames,
  plantedShapes,
  tellTale,
} from '../../../testkit/observe/planted-secrets.ts';
import { recordedLog, type LoggedLine } from '../../../testkit/observe/recorded-log.ts';
import { ActiveSpans, type SpanRecord, type SpanScope, type SpanStart } from './span.ts';
import { createTracing, type Tracing, type TracingOptions } from './create-tracing.ts';
import { traceLimits } from './trace-limits.ts';
import type { TraceMeta } from './trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${spanId}-01`;
const simple: SpanStart = { name: 'work', kind: 'internal' };

interface Setup {
  readonly tracing: Tracing;
  readonly store: MemoryTraceStore;
  readonly lines: LoggedLine[];
  readonly activeSpans: ActiveSpans;
  /** The only span so far. */
  readonly only: () => Promise<SpanRecord>;
}

function aTracing(options: Partial<TracingOptions> = {}): Setup {
  const store = new MemoryTraceStore();
  const lines: LoggedLine[] = [];
  const activeSpans = new ActiveSpans();
  const tracing = createTracing({ activeSpans, log: recordedLog(lines), store, ...options });
  const only = async (): Promise<SpanRecord> => {
    await tracing.flush();
    expect(store.all).toHaveLength(1);
    return store.all[0]!;
  };
  return { tracing, store, lines, activeSpans, only };
}

class BrokenError extends AppError {
  readonly code = 'test.broken';
}

describe('a traced piece of work', () => {
  it('shares what it began with, and nothing it was given later, with others like it', async () => {
    const { tracing, store } = aTracing();
    const attributes = { tool: 'x', password: plainSecret };
    const start: SpanStart = { name: 'tools/call x', kind: 'server', attributes };
    await tracing.traced(start, async (scope) => scope.setAttributes({ 'error.type': 'odd' }));
    await tracing.traced(start, async () => {});
    await tracing.traced({ ...start, name: 'tools/call y' }, async () => {});
    await tracing.flush();
    const hidden = { 'tutti.tool': 'x', 'tutti.password': '[hidden]' };
    expect(store.all.map(({ name, attributes: kept }) => [name, kept])).toEqual([
      ['tools/call x', { ...hidden, 'error.type': 'odd' }],
      ['tools/call x', hidden],
      ['tools/call y', hidden],
    ]);
  });

  it('becomes a span with its name, kind, attributes, caller and times', async () => {
    let tick = 100;
    const { tracing, only } = aTracing({
      clock: { now: () => 5_000 },
      tickMs: () => (tick += 1.5),
    });
    const attributes = { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'code.format_code' };
    const start = { name: 'tools/call code.format_code', kind: 'client', attributes } as const;
    const result = await tracing.traced({ ...start, caller: { id: 'me' } }, async (scope) => {
      scope.setAttributes({ 'gen_ai.tool.call.id': '7', absent: undefined });
      return 42;
    });
    expect(result).toBe(42);
    expect(await only()).toEqual({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      name: 'tools/call code.format_code',
      kind: 'client',
      startedAtUs: 5_000_000,
      durationUs: 1_500,
      status: 'unset',
      attributes: { ...attributes, 'gen_ai.tool.call.id': '7' },
      callerId: 'me',
    });
  });

  it.each([
    [new BrokenError('it broke'), 'test.broken'],
    [new TypeError('it broke'), 'TypeError'],
  ])('fails with its error, which passes unchanged: %s', async (error, type) => {
    const { tracing, only } = aTracing();
    const work = async (): Promise<never> => {
      throw error;
    };
    await expect(tracing.traced(simple, work)).rejects.toBe(error);
    expect(await only()).toMatchObject({
      status: 'error',
      statusMessage: 'it broke',
      attributes: { 'error.type': type },
    });
  });

  it('can fail though it returns, as a tool does that answers with an error', async () => {
    const { tracing, only } = aTracing();
    await tracing.traced(simple, async (scope) => scope.fail('file not found'));
    expect(await only()).toMatchObject({
      status: 'error',
      statusMessage: 'file not found',
      attributes: { 'error.type': 'tool_error' },
    });
  });

  it('keeps an error type that was set on purpose', async () => {
    const { tracing, only } = aTracing();
    await tracing.traced(simple, async (scope) => {
      scope.setAttributes({ 'error.type': 'timeout' });
      scope.fail(new Error('late'));
    });
    expect(await only()).toMatchObject({ attributes: { 'error.type': 'timeout' } });
  });

  it('is not a failure when it was cancelled', async () => {
    const { tracing, only } = aTracing();
    const signal = AbortSignal.abort();
    const work = async (): Promise<void> => signal.throwIfAborted();
    await expect(tracing.traced(simple, work)).rejects.toBe(signal.reason);
    const span = await only();
    expect(span).toMatchObject({ status: 'unset', attributes: { 'tutti.cancelled': true } });
    expect(span.attributes).not.toHaveProperty('error.type');
  });

  it('is not a failure when its work says that it was cancelled, whatever the reason', async () => {
    const { tracing, only } = aTracing();
    const work = async (scope: SpanScope): Promise<void> => {
      scope.cancel();
      throw new Error('the client went away');
    };
    await expect(tracing.traced(simple, work)).rejects.toThrow('the client went away');
    const span = await only();
    expect(span).toMatchObject({ status: 'unset', attributes: { 'tutti.cancelled': true } });
    expect(span.attributes).not.toHaveProperty('error.type');
  });

  it('lasts until it is ended, once, where it is opened by hand', async () => {
    let tick = 0;
    const { tracing, activeSpans, only } = aTracing({ tickMs: () => (tick += 1) });
    const span = tracing.open(simple);
    expect(span.runIn(() => activeSpans.ids()?.spanId)).toBe(span.spanId);
    span.fail(new Error('it broke'));
    span.end();
    span.end();
    expect(await only()).toMatchObject({ status: 'error', durationUs: 1_000 });
  });

  it('throws what work throws before it returns a promise', async () => {
    const { tracing, only } = aTracing();
    const work = (): Promise<void> => {
      throw new Error('at once');
    };
    await expect(tracing.traced(simple, work)).rejects.toThrow('at once');
    expect(await only()).toMatchObject({ status: 'error' });
  });
});

describe('the context of a trace', () => {
  it('goes on from the traceparent of the request and out to the calls made for it', async () => {
    const { tracing, only } = aTracing();
    const parentMeta = { traceparent, tracestate: 'v=1', baggage: 'k=v', other: true };
    const out = await tracing.traced({ ...simple, parentMeta }, async (scope) => {
      expect(scope.traceId).toBe(traceId);
      return { meta: scope.outgoingMeta(), spanId: scope.spanId };
    });
    expect(out.meta).toEqual({
      traceparent: `00-${traceId}-${out.spanId}-01`,
      tracestate: 'v=1',
      baggage: 'k=v',
    });
    expect(out.spanId).not.toBe(spanId);
    expect(await only()).toMatchObject({ traceId, parentSpanId: spanId });
  });

  it('begins anew when the request has none or a broken one', async () => {
    const { tracing, only } = aTracing();
    await tracing.traced({ ...simple, parentMeta: { traceparent: 'x' } }, async () => {});
    const span = await only();
    expect(span).not.toHaveProperty('parentSpanId');
    expect(span.traceId).not.toBe(traceId);
  });

  it('records a trace that the caller does not sample, and says so to the next', async () => {
    const { tracing, only } = aTracing();
    const parentMeta = { traceparent: `00-${traceId}-${spanId}-00` };
    const meta = await tracing.traced({ ...simple, parentMeta }, async (scope) =>
      scope.outgoingMeta(),
    );
    expect(meta.traceparent.endsWith('-00')).toBe(true);
    expect(await only()).toMatchObject({ traceId });
  });

  it('makes spans inside a span its children, through awaits and timers and beside each other', async () => {
    const { tracing, store } = aTracing();
    const inner = async (name: string): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      await tracing.traced({ ...simple, name }, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        await tracing.traced({ ...simple, name: `${name}.leaf` }, async () => {});
      });
    };
    await tracing.traced({ ...simple, name: 'root', parentMeta: { baggage: 'k=v' } }, async () => {
      await Promise.all([inner('a'), inner('b')]);
    });
    await tracing.flush();
    const byName = new Map(store.all.map((span) => [span.name, span]));
    const parentOf = (name: string): string | undefined =>
      store.all.find((span) => span.spanId === byName.get(name)?.parentSpanId)?.name;
    expect(['a', 'b', 'a.leaf', 'b.leaf', 'root'].map(parentOf)).toEqual([
      'root',
      'root',
      'a',
      'b',
      undefined,
    ]);
    expect(new Set(store.all.map((span) => span.traceId)).size).toBe(1);
  });

  it('nests under the nearest span when the request that led here belongs to the same trace', async () => {
    const { tracing, store } = aTracing();
    const parentMeta = { traceparent, baggage: 'k=v' };
    const inner = await tracing.traced({ ...simple, name: 'outer', parentMeta }, () =>
      tracing.traced({ ...simple, name: 'inner', parentMeta: { traceparent } }, async (scope) =>
        scope.outgoingMeta(),
      ),
    );
    await tracing.flush();
    const [innerSpan, outerSpan] = store.all;
    expect(innerSpan?.parentSpanId).toBe(outerSpan?.spanId);
    expect(inner).toMatchObject<Partial<TraceMeta>>({ baggage: 'k=v' });
  });

  it('follows a request of another trace even inside a span', async () => {
    const { tracing, store } = aTracing();
    await tracing.traced({ ...simple, name: 'outer' }, () =>
      tracing.traced({ ...simple, name: 'inner', parentMeta: { traceparent } }, async () => {}),
    );
    await tracing.flush();
    expect(store.all[0]).toMatchObject({ name: 'inner', traceId, parentSpanId: spanId });
  });

  it('is there for log lines, and only inside the work', async () => {
    const { tracing, activeSpans } = aTracing();
    const [inside, scope] = await tracing.traced(simple, async (scope) => [
      activeSpans.ids(),
      scope,
    ]);
    expect(inside).toEqual({ traceId: scope.traceId, spanId: scope.spanId });
    expect(activeSpans.ids()).toBeUndefined();
  });

  it('puts a child where it began in its parent, to the microsecond', async () => {
    let tick = 0;
    const { tracing, store } = aTracing({ clock: { now: () => 7 }, tickMs: () => (tick += 0.25) });
    await tracing.traced(simple, () => tracing.traced(simple, async () => {}));
    await tracing.flush();
    const [child, parent] = store.all;
    expect(parent).toMatchObject({ startedAtUs: 7_000, durationUs: 750 });
    expect(child).toMatchObject({ startedAtUs: 7_250, durationUs: 250 });
  });
});

describe('no secret reaches a span', () => {
  it.each(Object.entries(plantedShapes))('by its looks: %s', async (_kind, secret) => {
    const { tracing, only } = aTracing();
    const start = { ...simple, name: `n ${secret}`, attributes: { a: secret, [secret]: 'key' } };
    await tracing.traced(start, async (scope) => {
      scope.setAttributes({ list: [secret] });
      scope.fail(new Error(`with ${secret}`));
    });
    expect(JSON.stringify(await only())).not.toContain(tellTale(secret));
  });

  it('by its name', async () => {
    const { tracing, only } = aTracing();
    const attributes = Object.fromEntries(plantedNames.map((name) => [name, plainSecret]));
    await tracing.traced({ ...simple, attributes }, async () => {});
    expect(JSON.stringify(await only())).not.toContain(plainSecret);
  });

  it('and what is too long or too much is cut', async () => {
    const { tracing, only } = aTracing();
    const attributes = Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [`k${n}`, 'x'.repeat(9_000)]),
    );
    await tracing.traced({ ...simple, name: 'n'.repeat(9_000), attributes }, async () => {});
    const span = await only();
    expect(Object.keys(span.attributes)).toHaveLength(traceLimits.maxAttributes + 1);
    expect(JSON.stringify(span).length).toBeLessThan(
      (traceLimits.maxAttributes + 2) * (traceLimits.maxAttributeLength + 100),
    );
  });
});

describe('keeping spans', () => {
  it('writes what is left when tracing closes', async () => {
    const { tracing, store } = aTracing();
    for (let n = 0; n < 1_000; n += 1) await tracing.traced(simple, async () => {});
    await tracing.close();
    expect(store.all).toHaveLength(1_000);
  });

  it('drops spans beyond the queue, says how many in the log, and lets calls go on', async () => {
    const store = new MemoryTraceStore();
    const record = store.record.bind(store);
    const { promise: isFree, resolve: free } = Promise.withResolvers<void>();
    store.record = async (spans) => {
      await isFree;
      await record(spans);
    };
    const { tracing, lines } = aTracing({ store, limits: { maxQueuedSpans: 10 } });
    for (let n = 0; n < 25; n += 1) {
      expect(await tracing.traced(simple, async () => n)).toBe(n);
    }
    free();
    await tracing.flush();
    expect(store.all).toHaveLength(10);
    expect(lines).toEqual([
      {
        level: 'warn',
        message: 'spans dropped',
        fields: { target: 'store', count: 15, reason: 'the queue was full or closed' },
      },
    ]);
  });

  it('does not let a store that fails hurt a call', async () => {
    const failure = new Error('disk full');
    const store = new MemoryTraceStore();
    store.record = () => Promise.reject(failure);
    const { tracing, lines } = aTracing({ store });
    expect(await tracing.traced(simple, async () => 1)).toBe(1);
    await tracing.close();
    expect(lines).toMatchObject([
      { message: 'spans dropped', fields: { count: 1, reason: failure } },
    ]);
  });

  it('removes old spans now and then, by age and by number', async () => {
    let nowMs = traceLimits.maxKeptAgeMs * 3;
    const { tracing, store, lines } = aTracing({
      clock: { now: () => nowMs },
      limits: { maxKeptSpans: 3 },
    });
    const callAndFlush = async (name: string): Promise<void> => {
      await tracing.traced({ ...simple, name }, async () => {});
      await tracing.flush();
    };
    await callAndFlush('first');
    nowMs += traceLimits.maxKeptAgeMs + 1;
    await callAndFlush('second');
    expect(store.all.map((span) => span.name)).toEqual(['second']);
    for (const name of ['3', '4', '5', '6']) await callAndFlush(name);
    expect(store.all).toHaveLength(5);
    nowMs += traceLimits.pruneIntervalMs;
    await callAndFlush('last');
    expect(store.all.map((span) => span.name)).toEqual(['5', '6', 'last']);
    expect(lines.every((line) => line.level === 'debug')).toBe(true);
  });

  it('does not let many spans in a short time pile up until old ones are looked for again', async () => {
    const { tracing, store } = aTracing({ limits: { maxKeptSpans: 3, pruneAfterSpans: 5 } });
    for (let n = 1; n <= 6; n += 1) {
      await tracing.traced({ ...simple, name: String(n) }, async () => {});
      await tracing.flush();
    }
    expect(store.all.map((span) => span.name)).toEqual(['4', '5', '6']);
  });

  it('keeps new spans when old ones cannot be removed', async () => {
    const store = new MemoryTraceStore();
    store.prune = () => Promise.reject(new Error('locked'));
    const { tracing, lines } = aTracing({ store });
    await tracing.traced(simple, async () => {});
    await tracing.flush();
    expect(store.all).toHaveLength(1);
    expect(lines).toMatchObject([{ level: 'warn', message: 'failed to prune old spans' }]);
  });
});
