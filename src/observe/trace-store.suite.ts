import { expect, it } from 'vitest';
import { localCaller } from '../contract/caller/index.ts';
import { aSpan, hexId } from '../../testkit/observe/a-span.ts';
import { traceLimits } from './trace/trace-limits.ts';
import type { TraceStore } from './trace/trace-store.ts';

const stranger = { id: 'stranger' };
const keepAll = { beforeMs: 0, maxSpans: 1_000_000 };

/** What every trace store promises. `create` gives an empty one. */
export function testTraceStore(create: () => TraceStore | Promise<TraceStore>): void {
  it('gives back every part of a span as it was recorded', async () => {
    const store = await create();
    const full = aSpan({
      parentSpanId: 'aaaaaaaaaaaaaaaa',
      kind: 'client',
      status: 'error',
      statusMessage: 'it broke: "ü"',
      attributes: { text: 'a\u0000b', count: 3, ratio: 0.5, yes: true, list: ['x', 'y'] },
    });
    await store.record([full]);
    expect(await store.find(localCaller, full.traceId)).toEqual({ kind: 'found', spans: [full] });
  });

  it('gives the spans of a trace in the order they began', async () => {
    const store = await create();
    const late = aSpan({ spanId: hexId(1, 16), startedAtUs: 2_000 });
    const early = aSpan({ spanId: hexId(2, 16), startedAtUs: 1_000 });
    await store.record([late, early]);
    expect(await store.find(localCaller, late.traceId)).toEqual({
      kind: 'found',
      spans: [early, late],
    });
  });

  it('keeps the first of two spans with the same id', async () => {
    const store = await create();
    await store.record([aSpan({ name: 'first' })]);
    await store.record([aSpan({ name: 'second' })]);
    expect(await store.find(localCaller, aSpan().traceId)).toMatchObject({
      spans: [{ name: 'first' }],
    });
  });

  it('gives the spans recorded last, of this caller alone', async () => {
    const store = await create();
    const spans = [1, 2, 3].map((at) => aSpan({ spanId: hexId(at, 16), startedAtUs: at }));
    await store.record(spans.slice(0, 1));
    await store.record([...spans.slice(1), aSpan({ spanId: hexId(9, 16), callerId: stranger.id })]);
    const latest = await store.latest(localCaller, 2);
    expect(new Set(latest.map(({ spanId }) => spanId))).toEqual(
      new Set([hexId(2, 16), hexId(3, 16)]),
    );
    expect(await store.latest(localCaller, 100)).toHaveLength(3);
  });

  it('accepts an empty batch', async () => {
    const store = await create();
    await store.record([]);
    expect(await store.recent(localCaller, 10)).toEqual([]);
  });

  it('finds a trace by the beginning of its id when only one has it', async () => {
    const store = await create();
    const [one, other] = ['abcdef01', 'abcdef02'].map((id) =>
      aSpan({ traceId: id.padEnd(32, '0') }),
    );
    await store.record([one!, other!]);
    expect(await store.find(localCaller, 'abcdef01')).toEqual({ kind: 'found', spans: [one] });
    expect(await store.find(localCaller, 'abcdef')).toEqual({
      kind: 'ambiguous',
      traceIds: [one!.traceId, other!.traceId],
    });
    expect(await store.find(localCaller, 'abcdee')).toEqual({ kind: 'unknown' });
  });

  it('names a limited number of traces that a beginning fits', async () => {
    const store = await create();
    const traceIds = Array.from({ length: 15 }, (_, n) => `abcdef${hexId(n, 32).slice(6)}`);
    await store.record(traceIds.map((traceId) => aSpan({ traceId })));
    expect(await store.find(localCaller, 'abcdef')).toEqual({
      kind: 'ambiguous',
      traceIds: traceIds.slice(0, traceLimits.maxCandidates),
    });
  });

  it('gives a limited number of spans of a trace, those that began first', async () => {
    const store = await create();
    const spans = Array.from({ length: traceLimits.maxSpansPerTrace + 1 }, (_, n) =>
      aSpan({ spanId: hexId(n + 1, 16), startedAtUs: n }),
    );
    await store.record(spans);
    const match = await store.find(localCaller, aSpan().traceId);
    expect(match.kind === 'found' && match.spans.map((span) => span.spanId)).toEqual(
      spans.slice(0, -1).map((span) => span.spanId),
    );
  });

  it('lists a limited number of traces, whatever number is asked for', async () => {
    const store = await create();
    await store.record(
      Array.from({ length: traceLimits.maxListedTraces + 1 }, (_, n) =>
        aSpan({ traceId: hexId(n, 32) }),
      ),
    );
    expect(await store.recent(localCaller, 1_000_000)).toHaveLength(traceLimits.maxListedTraces);
  });

  it('shows a caller its own spans only', async () => {
    const store = await create();
    const own = aSpan();
    const foreign = aSpan({ spanId: hexId(9, 16), callerId: stranger.id });
    await store.record([own, foreign]);
    expect(await store.find(localCaller, own.traceId)).toEqual({ kind: 'found', spans: [own] });
    expect(await store.find(stranger, own.traceId)).toEqual({ kind: 'found', spans: [foreign] });
    expect(await store.find({ id: 'nobody' }, own.traceId)).toEqual({ kind: 'unknown' });
    expect(await store.recent({ id: 'nobody' }, 10)).toEqual([]);
  });

  it('lists the traces that began last, newest first, with their sums', async () => {
    const store = await create();
    const old = hexId(1, 32);
    const young = hexId(2, 32);
    await store.record([
      aSpan({
        traceId: old,
        startedAtUs: 1_000,
        durationUs: 10,
        name: 'old',
        attributes: { 'tutti.run.id': 'run-1' },
      }),
      aSpan({ traceId: young, spanId: hexId(2, 16), startedAtUs: 5_100, durationUs: 900 }),
      aSpan({
        traceId: young,
        startedAtUs: 5_000,
        durationUs: 500,
        name: 'root',
        status: 'error',
      }),
    ]);
    const summaries = [
      {
        traceId: young,
        name: 'root',
        startedAtUs: 5_000,
        durationUs: 1_000,
        spans: 2,
        errors: 1,
        isFailed: true,
        runId: null,
      },
      {
        traceId: old,
        name: 'old',
        startedAtUs: 1_000,
        durationUs: 10,
        spans: 1,
        errors: 0,
        isFailed: false,
        runId: 'run-1',
      },
    ];
    expect(await store.recent(localCaller, 10)).toEqual(summaries);
    expect(await store.recent(localCaller, 1)).toEqual(summaries.slice(0, 1));
  });

  it('removes spans that began before the given time, of every caller', async () => {
    const store = await create();
    await store.record([
      aSpan({ spanId: hexId(1, 16), startedAtUs: 999_999 }),
      aSpan({ spanId: hexId(2, 16), startedAtUs: 999_999, callerId: stranger.id }),
      aSpan({ spanId: hexId(3, 16), startedAtUs: 1_000_000 }),
    ]);
    expect(await store.prune({ ...keepAll, beforeMs: 1_000 })).toBe(2);
    expect(await store.recent(stranger, 10)).toEqual([]);
    expect(await store.recent(localCaller, 10)).toMatchObject([{ spans: 1 }]);
  });

  it('keeps only as many spans as allowed, those recorded last', async () => {
    const store = await create();
    const spans = Array.from({ length: 5_000 }, (_, n) =>
      aSpan({ traceId: hexId(n, 32), startedAtUs: n }),
    );
    for (let start = 0; start < spans.length; start += 500) {
      await store.record(spans.slice(start, start + 500));
    }
    expect(await store.prune({ ...keepAll, maxSpans: 100 })).toBe(4_900);
    expect(await store.prune({ ...keepAll, maxSpans: 100 })).toBe(0);
    const left = await store.recent(localCaller, 1_000);
    expect(left.map((trace) => trace.traceId)).toEqual(
      spans
        .slice(-100)
        .toReversed()
        .map((span) => span.traceId),
    );
  });

  it('counts what is there, not what was, when spans in between are gone', async () => {
    const store = await create();
    await store.record(
      [9, 1, 1, 9, 9].map((startedAtUs, n) => aSpan({ spanId: hexId(n + 1, 16), startedAtUs })),
    );
    await store.prune({ beforeMs: 0.005, maxSpans: 10 });
    expect(await store.prune({ beforeMs: 0, maxSpans: 3 })).toBe(0);
    expect(await store.recent(localCaller, 1)).toMatchObject([{ spans: 3 }]);
  });
}
