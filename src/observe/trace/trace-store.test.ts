import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { aSpan } from '../../../testkit/observe/a-span.ts';
import { MemoryTraceStore } from '../../../testkit/observe/memory-trace-store.ts';
import { findTrace } from './trace-store.ts';

async function storeWith(...traceIds: readonly string[]): Promise<MemoryTraceStore> {
  const store = new MemoryTraceStore();
  await store.record(traceIds.map((traceId) => aSpan({ traceId })));
  return store;
}

const one = 'abcdef01'.padEnd(32, '0');
const other = 'abcdef02'.padEnd(32, '0');

describe('finding a trace', () => {
  it('takes the whole id or its beginning, in any case', async () => {
    const store = await storeWith(one, other);
    for (const id of [one, 'abcdef01', ' ABCDEF01 ']) {
      expect(await findTrace(store, localCaller, id)).toMatchObject([{ traceId: one }]);
    }
  });

  it.each(['', 'abcde', 'xyzxyz', `${one}0`, '%25%25%25', 'a'.repeat(100_000)])(
    'refuses what cannot be an id: %.20s',
    async (id) => {
      await expect(findTrace(await storeWith(one), localCaller, id)).rejects.toMatchObject({
        code: 'observe.invalid_trace_id',
        message: expect.stringContaining('at least the first 6'),
      });
    },
  );

  it('says that a trace is not kept', async () => {
    await expect(findTrace(await storeWith(one), localCaller, 'ffffff')).rejects.toMatchObject({
      code: 'observe.trace_not_found',
    });
  });

  it('names the traces that a beginning fits', async () => {
    await expect(
      findTrace(await storeWith(one, other), localCaller, 'abcdef'),
    ).rejects.toMatchObject({
      code: 'observe.ambiguous_trace_id',
      details: { traceIds: [one, other] },
    });
  });
});
