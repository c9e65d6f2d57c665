import { expect, it } from 'vitest';
import { aSpan } from '../../../testkit/observe/a-span.ts';
import { findTraces } from './find-traces.ts';

const call = (traceId: string, over: Parameters<typeof aSpan>[0] = {}) =>
  aSpan({
    traceId,
    startedAtUs: 1_000_000,
    attributes: { 'gen_ai.tool.name': 'code.format' },
    ...over,
  });

const spans = [
  call('a', { durationUs: 2_000_000, attributes: { 'tutti.cost_usd': 0.2 } }),
  call('b', { status: 'error', statusMessage: 'Timed out', startedAtUs: 9_000_000 }),
  call('c'),
];
const found = (query: Parameters<typeof findTraces>[1]) =>
  findTraces(spans, query).map(({ traceId }) => traceId);

it('finds traces by tool, error, time and cost', () => {
  expect(found({})).toEqual(['b', 'a', 'c']);
  expect(found({ tool: 'CODE__format' })).toEqual(['b', 'c']);
  expect(found({ error: '' })).toEqual(['b']);
  expect(found({ error: 'timed' })).toEqual(['b']);
  expect(found({ error: 'refused' })).toEqual([]);
  expect(found({ minMs: 1_000 })).toEqual(['a']);
  expect(found({ minCostUsd: 0.1 })).toEqual(['a']);
  expect(found({ sinceMs: 5_000 })).toEqual(['b']);
  expect(found({ untilMs: 5_000, tool: 'format' })).toEqual(['c']);
});
