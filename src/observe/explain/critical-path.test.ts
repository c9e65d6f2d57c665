import { expect, it } from 'vitest';
import type { SpanRecord } from '../trace/span.ts';
import { aSpan } from '../../../testkit/observe/a-span.ts';
import { criticalPath } from './critical-path.ts';
import { explainTrace } from './explain-trace.ts';
import { formatExplanation } from './format-explanation.ts';
import { spanTree } from './span-tree.ts';

function span(name: string, [from, until]: [number, number], parent?: string): SpanRecord {
  const times = { startedAtUs: from, durationUs: until - from };
  return aSpan({ name, spanId: name, ...times, ...(parent && { parentSpanId: parent }) });
}

const path = (spans: readonly SpanRecord[]): string =>
  criticalPath(spanTree(spans))
    .map(({ node, fromUs, untilUs, isAfterEnd }) => {
      return `${node?.span.name ?? '-'}${isAfterEnd ? '+' : ''} ${fromUs}-${untilUs}`;
    })
    .join(', ');

it('takes of calls side by side the one that ended last', () => {
  const spans = [span('top', [0, 100]), span('a', [10, 40], 'top'), span('b', [10, 90], 'top')];
  expect(path(spans)).toBe('top 0-10, b 10-90, top 90-100');
});

it('covers the time after the own end of a span, and spans without a common parent', () => {
  const spans = [span('run', [0, 5]), span('step', [20, 60], 'run'), span('other', [70, 80])];
  expect(path(spans)).toBe('run 0-5, run+ 5-20, step 20-60, -+ 60-70, other 70-80');
});

it('ends with circles, parents elsewhere and deep nesting, each moment once', () => {
  expect(path([span('a', [0, 10], 'b'), span('b', [0, 10], 'a')])).not.toBe('');
  expect(path([span('a', [0, 10], 'elsewhere')])).toBe('a 0-10');
  const deep = Array.from({ length: 5_000 }, (_, at) =>
    span(`${at}`, [at, 20_000 - at], at === 0 ? undefined : `${at - 1}`),
  );
  const pieces = criticalPath(spanTree(deep));
  expect(pieces.reduce((sum, { fromUs, untilUs }) => sum + untilUs - fromUs, 0)).toBe(20_000);
});

it('says that there is too little to compare with, and tells an error that is new from one that is not', () => {
  const failed = (id: string) => ({
    ...span('call', [0, 10]),
    traceId: id,
    status: 'error' as const,
  });
  const text = formatExplanation(
    explainTrace([{ ...failed('a'), statusMessage: 'row 17 is\u001b[2J missing' }], []),
  );
  expect(text).toContain('Too few earlier traces');
  expect(text).toContain('row # is [#J missing');
  expect(text).toContain('new: in no earlier trace');
  const before = [[failed('b')], [failed('c')], [failed('d')]];
  expect(formatExplanation(explainTrace([failed('a')], before))).toContain('in 3 of 3 earlier');
  expect(formatExplanation(explainTrace([], []))).toContain('nothing to explain');
});

it('lists what an agent did as a tree', () => {
  const agent = (name: string, operation: string, parent?: string): SpanRecord => ({
    ...span(name, [0, 10], parent),
    attributes: { 'gen_ai.operation.name': operation, 'gen_ai.usage.input_tokens': 4 },
  });
  const spans = [
    agent('ask', 'invoke_agent'),
    agent('chat m', 'chat', 'ask'),
    span('inner', [0, 9], 'ask'),
    agent('tool', 'execute_tool', 'inner'),
  ];
  expect(
    explainTrace(spans, []).decisions.map(({ name, depth, tokens }) => [name, depth, tokens]),
  ).toEqual([
    ['ask', 0, 4],
    ['chat m', 1, 4],
    ['tool', 1, 4],
  ]);
});
