import { expect, it } from 'vitest';
import { aSpan } from '../../../testkit/observe/a-span.ts';
import { summarizeUsage } from './summarize-usage.ts';

const call = {
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': 'a.b',
  'tutti.server': 'a',
};
const turn = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'm',
  'gen_ai.usage.input_tokens': 5,
  'gen_ai.usage.output_tokens': 2,
  'tutti.cost_usd': 0.1,
};
const day = 86_400_000_000;
const spans = [
  aSpan({ attributes: call, startedAtUs: day, durationUs: 1_000 }),
  aSpan({ attributes: call, startedAtUs: 2 * day, durationUs: 9_000, status: 'error' }),
  aSpan({ attributes: turn, startedAtUs: 2 * day }),
  aSpan({ attributes: {}, startedAtUs: 2 * day }),
];

it('counts calls by tool, turns by model, and both by day', () => {
  expect(summarizeUsage(spans, { by: 'tool', sinceMs: 0 })).toEqual([
    { name: 'a.b', calls: 2, errors: 1, p50Ms: 1, p95Ms: 1, tokens: 0, costUsd: 0 },
  ]);
  expect(summarizeUsage(spans, { by: 'model', sinceMs: 0 })).toMatchObject([
    { name: 'm', calls: 1, tokens: 7, costUsd: 0.1 },
  ]);
  const days = summarizeUsage(spans, { by: 'day', sinceMs: 0 });
  expect(days.map(({ name, calls }) => [name, calls])).toEqual([
    ['1970-01-02', 1],
    ['1970-01-03', 2],
  ]);
  expect(summarizeUsage(spans, { by: 'server', sinceMs: 2 * 86_400_000 })).toMatchObject([
    { name: 'a', calls: 1 },
  ]);
});
