import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { silentLog } from '../../kernel/index.ts';
import { ActiveSpans, createTracing, type SpanRecord, type Tracing } from '../../observe/index.ts';
import { MemoryTraceStore } from '../../../testkit/observe/memory-trace-store.ts';
import {
  aWorkbench,
  gives,
  readOnly,
  says,
  type Workbench,
} from '../../../testkit/workflow/effects/a-workbench.ts';

const traceId = 'a'.repeat(32);
const runSpan = 'b'.repeat(16);
const meta = { traceparent: `00-${traceId}-${runSpan}-01` };

function aTracedBench(): { bench: Workbench; tracing: Tracing; spans: () => Promise<Spans> } {
  const store = new MemoryTraceStore();
  const tracing = createTracing({ activeSpans: new ActiveSpans(), log: silentLog, store });
  const bench = aWorkbench(
    {
      's.t': { ...readOnly, run: () => gives({}) },
      's.fails': { ...readOnly, run: () => ({ ...says('no money'), isError: true }) },
      's.lost': { run: () => Promise.reject(new TypeError('lost')) },
      's.hangs': { ...readOnly, run: () => new Promise(() => {}) },
    },
    { tracer: tracing },
  );
  return {
    bench,
    tracing,
    async spans() {
      await tracing.close();
      const match = await store.find(localCaller, traceId);
      return match.kind === 'found' ? match.spans : [];
    },
  };
}

type Spans = readonly SpanRecord[];

describe('the span of a step', () => {
  it('goes on from the trace of the run, and the call goes on from it', async () => {
    const { bench, spans } = aTracedBench();
    await bench.call({ step: 'b[2]', attempt: 2 }, { meta });
    const [span, ...others] = await spans();
    expect(others).toEqual([]);
    expect(span).toMatchObject({
      name: 'step b[2]',
      kind: 'internal',
      parentSpanId: runSpan,
      status: 'unset',
      attributes: {
        'tutti.run.id': 'run1',
        'tutti.step.attempt': 2,
        'tutti.step.outcome': 'succeeded',
        'gen_ai.tool.name': 's.t',
      },
    });
    expect(bench.calls[0]?.meta['traceparent']).toBe(`00-${traceId}-${span?.spanId}-01`);
  });

  it('hangs below its run, though another span of the trace is active where the engine begins it', async () => {
    const { bench, tracing, spans } = aTracedBench();
    const other = { name: 'other', kind: 'internal', parentMeta: meta } as const;
    await tracing.traced(other, () => bench.call({ step: 'b' }, { meta }));
    const step = (await spans()).find(({ name }) => name === 'step b');
    expect(step?.parentSpanId).toBe(runSpan);
  });

  it('says that and why the step failed, came from the cache, or is unknown', async () => {
    const { bench, spans } = aTracedBench();
    const cache = { ttlMs: null };
    await bench.call({ step: 'a', tool: 's.fails' }, { meta });
    await bench.call({ step: 'b', tool: 's.lost' }, { meta });
    await bench.call({ step: 'c', cache }, { meta });
    await bench.call({ step: 'd', cache }, { meta });
    const byName = new Map((await spans()).map((span) => [span.name, span]));
    expect(byName.get('step a')).toMatchObject({
      status: 'error',
      statusMessage: 'no money',
      attributes: { 'tutti.step.outcome': 'failed', 'error.type': 'workflow.tool_failed' },
    });
    expect(byName.get('step b')).toMatchObject({
      status: 'error',
      attributes: { 'tutti.step.outcome': 'unknown' },
    });
    expect(byName.get('step c')?.attributes).not.toHaveProperty(['tutti.step.cached']);
    expect(byName.get('step d')?.attributes).toMatchObject({ 'tutti.step.cached': true });
  });

  it('of a step that was cancelled is no failure', async () => {
    const { bench, spans } = aTracedBench();
    const cancel = new AbortController();
    const calling = bench.call(
      { tool: 's.hangs', timeoutMs: 60_000 },
      { meta, signal: cancel.signal },
    );
    cancel.abort(new Error('stop'));
    await expect(calling).rejects.toThrow('stop');
    expect(await spans()).toMatchObject([
      { status: 'unset', attributes: { 'tutti.cancelled': true } },
    ]);
  });
});
