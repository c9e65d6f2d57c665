import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { aSpan } from '../../observe/testing/a-span.ts';
import { testTraceStore } from '../../observe/trace-store.suite.ts';
import { aStore } from '../testing/a-store.ts';

describe('the trace store in SQLite', () => {
  testTraceStore(() => aStore().traces);

  it('keeps all spans of a batch or none', async () => {
    const store = aStore();
    const broken = aSpan({ spanId: 'ffffffffffffffff', startedAtUs: Number.NaN });
    await expect(store.traces.record([aSpan(), broken])).rejects.toThrow('NOT NULL');
    expect(await store.traces.find(localCaller, aSpan().traceId)).toEqual({ kind: 'unknown' });
  });

  it('shows a span whose attributes cannot be read, without them', async () => {
    const store = aStore();
    await store.traces.record([aSpan({ attributes: { a: 1 } })]);
    const raw = new DatabaseSync(store.path);
    raw.exec("UPDATE spans SET attributes = '{', kind = 'odd', status = 'odd'");
    raw.close();
    expect(await store.traces.find(localCaller, aSpan().traceId)).toMatchObject({
      spans: [{ attributes: {}, kind: 'internal', status: 'unset' }],
    });
  });
});
