import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { aSpan } from '../../../testkit/observe/a-span.ts';
import { testTraceStore } from '../../observe/trace-store.suite.ts';
import type { Store } from '../index.ts';
import { aStore } from '../../../testkit/store/a-store.ts';

describe('the trace store in SQLite', () => {
  testTraceStore(() => aStore().traces);

  it('keeps all spans of a batch or none', async () => {
    const store = aStore();
    const broken = aSpan({ spanId: 'ffffffffffffffff', startedAtUs: Number.NaN });
    await expect(store.traces.record([aSpan(), broken])).rejects.toThrow('NOT NULL');
    expect(await store.traces.find(localCaller, aSpan().traceId)).toEqual({ kind: 'unknown' });
  });

  it('shows a span of which a part cannot be read, without that part', async () => {
    const store = aStore();
    await store.traces.record([aSpan({ attributes: { a: 1 } })]);
    change(store, `replace(replace(spans, '{"a":1}', '7'), '"server"', '"odd"')`);
    expect(await store.traces.find(localCaller, aSpan().traceId)).toMatchObject({
      spans: [{ attributes: {}, kind: 'internal', status: 'unset' }],
    });
  });

  it.each(['{', 'null', '{"spans":[["a"],7],"starts":4}'])(
    'shows the other spans where a batch is %s',
    async (text) => {
      const store = aStore();
      await store.traces.record([aSpan({ spanId: 'ffffffffffffffff' })]);
      change(store, `'${text}'`);
      await store.traces.record([aSpan()]);
      expect(await store.traces.recent(localCaller, 5)).toMatchObject([{ spans: 1 }]);
      expect(await store.traces.prune({ beforeMs: 0, maxSpans: 1 })).toBe(1);
      expect(await store.traces.recent(localCaller, 5)).toMatchObject([{ spans: 1 }]);
    },
  );

  it('tells apart spans of one batch that share their attributes only', async () => {
    const store = aStore();
    const attributes = { a: 1 };
    const spans = [
      aSpan({ spanId: '1'.repeat(16), attributes }),
      aSpan({ spanId: '2'.repeat(16), attributes, name: 'other' }),
      aSpan({ spanId: '3'.repeat(16), attributes, statusMessage: 'a note' }),
    ];
    await store.traces.record(spans);
    expect(await store.traces.find(localCaller, aSpan().traceId)).toEqual({ kind: 'found', spans });
  });
});

/** Gives the texts of all batches another value, as a fault of the disk would. */
function change(store: Store, value: string): void {
  const raw = new DatabaseSync(store.path);
  raw.exec(`UPDATE span_batches SET spans = ${value}`);
  raw.close();
}
