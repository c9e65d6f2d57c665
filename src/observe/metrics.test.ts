import { expect, it } from 'vitest';
import { Metrics } from './metrics.ts';
import type { SpanRecord } from './trace/span.ts';

function aCall(over: Partial<SpanRecord> & { server?: string; tool?: string } = {}): SpanRecord {
  const { server = 'code', tool = 'code__review_code', ...record } = over;
  return {
    traceId: '0'.repeat(32),
    spanId: '0'.repeat(16),
    name: `tools/call ${tool}`,
    kind: 'server',
    startedAtUs: 0,
    durationUs: 20_000,
    status: 'unset',
    attributes: { 'gen_ai.tool.name': tool, 'tutti.server': server },
    callerId: 'local',
    ...record,
  };
}

it('counts tool calls by outcome and their duration in buckets', () => {
  const metrics = new Metrics();
  metrics.onSpan(aCall());
  metrics.onSpan(aCall({ durationUs: 2_000_000 }));
  metrics.onSpan(aCall({ status: 'error' }));
  metrics.onSpan(aCall({ attributes: {} }));
  const text = metrics.render();
  const labels = 'server="code",tool="code__review_code"';
  expect(text).toContain('# TYPE tutti_tool_calls_total counter');
  expect(text).toContain(`tutti_tool_calls_total{${labels},outcome="ok"} 2\n`);
  expect(text).toContain(`tutti_tool_calls_total{${labels},outcome="error"} 1\n`);
  expect(text).toContain(`tutti_tool_call_duration_seconds_bucket{${labels},le="0.025"} 2\n`);
  expect(text).toContain(`tutti_tool_call_duration_seconds_bucket{${labels},le="5"} 3\n`);
  expect(text).toContain(`tutti_tool_call_duration_seconds_count{${labels}} 3\n`);
  expect(text).toContain(`tutti_tool_call_duration_seconds_sum{${labels}} 2.04\n`);
});

it('escapes names of foreign servers', () => {
  const metrics = new Metrics();
  metrics.onSpan(aCall({ server: 'a"b\\c\nd' }));
  expect(metrics.render()).toContain(String.raw`server="a\"b\\c\nd"`);
});

it('keeps at most as many series as allowed, and counts the rest together', () => {
  const metrics = new Metrics(3);
  for (let n = 0; n < 1_000; n += 1) metrics.onSpan(aCall({ tool: `tool_${n}` }));
  const series = metrics.render().match(/^tutti_tool_calls_total\{.*$/gm) ?? [];
  expect(series).toHaveLength(4);
  expect(series.at(-1)).toBe(
    'tutti_tool_calls_total{server="other",tool="other",outcome="other"} 997',
  );
});

it('counts the calls that were answered from kept results', () => {
  const metrics = new Metrics();
  const attributes = { 'gen_ai.tool.name': 'get', 'tutti.server': 'shop', 'tutti.cache': 'hit' };
  metrics.onSpan(aCall({ attributes }));
  const labels = 'server="shop",tool="get",outcome="hit"';
  expect(metrics.render()).toContain(`tutti_tool_cache_total{${labels}} 1\n`);
});
