import { expect, it } from 'vitest';
import { maxOtherSets, metricDefinitions, Metrics } from './metrics.ts';
import type { SpanRecord } from '../trace/span.ts';
import { countSpan } from './count-spans.ts';

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
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'tutti.server': server,
    },
    callerId: 'local',
    ...record,
  };
}

it('counts tool calls by outcome and their duration in buckets', () => {
  const metrics = new Metrics();
  countSpan(metrics, aCall());
  countSpan(metrics, aCall({ durationUs: 2_000_000 }));
  countSpan(metrics, aCall({ status: 'error' }));
  countSpan(metrics, aCall({ attributes: {} }));
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
  countSpan(metrics, aCall({ server: 'a"b\\c\nd' }));
  expect(metrics.render()).toContain(String.raw`server="a\"b\\c\nd"`);
});

it('stays within 20,000 series whatever the labels, by its definitions', () => {
  const total = Object.values(metricDefinitions).reduce(
    (sum, { type, maxSets, buckets = [] }) =>
      sum + (maxSets + maxOtherSets) * (type === 'histogram' ? buckets.length + 3 : 1),
    0,
  );
  expect(total).toBeLessThanOrEqual(20_000);
});

it('counts 10,000 tools of 1,000 callers with hostile names within its bounds, and keeps their outcomes', () => {
  const metrics = new Metrics();
  for (let n = 0; n < 10_000; n += 1) {
    const tool = `t${n}"\n\\{}${'x'.repeat(500)}`;
    const status = n % 2 === 0 ? 'error' : 'unset';
    const call = { server: `s${n % 3_000}`, tool, status, callerId: `c${n % 1_000}` } as const;
    countSpan(metrics, aCall(call));
  }
  for (const name of ['tutti_model_turns_total', 'tutti_refused_requests_total'] as const) {
    for (let n = 0; n < 5_000; n += 1) metrics.add(name, [`m${n}`, `o${n}`]);
  }
  const text = metrics.render();
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(series.length).toBeLessThanOrEqual(20_000);
  expect(text.length).toBeLessThan(10_000_000);
  expect(text).toMatch(/tool_calls_total\{server="other",tool="other",outcome="error"\} \d{4}/);
  expect(series.every((line) => /^tutti_\w+(\{.*\})? [\d.e+-]+$/.test(line))).toBe(true);
});

it('counts turns, agents, memory, steps and programs', () => {
  const metrics = new Metrics();
  const span = (name: string, attributes: SpanRecord['attributes']): void =>
    countSpan(metrics, { ...aCall(), name, attributes });
  span('chat', {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'a/b',
    'gen_ai.usage.input_tokens': 7,
    'tutti.cost_usd': 0.25,
  });
  span('invoke_agent tutti', {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'tutti',
    'tutti.agent.outcome': 'question',
  });
  span('search_memory tutti', { 'gen_ai.operation.name': 'search_memory' });
  span('step a', {
    'tutti.step.attempt': 2,
    'tutti.step.outcome': 'succeeded',
    'gen_ai.tool.name': 'x',
  });
  span('sandbox python', { 'tutti.sandbox.status': 'exited', 'tutti.sandbox.start_ms': 20 });
  span('run nightly', {});
  const text = metrics.render();
  for (const line of [
    'tutti_model_turns_total{model="a/b",outcome="ok"} 1',
    'tutti_model_tokens_total{model="a/b",direction="input"} 7',
    'tutti_model_cost_usd_total{model="a/b"} 0.25',
    'tutti_agent_requests_total{agent="tutti",outcome="question"} 1',
    'tutti_memory_operations_total{operation="search_memory",outcome="ok"} 1',
    'tutti_step_attempts_total{outcome="succeeded"} 1',
    'tutti_step_retries_total 1',
    'tutti_sandbox_runs_total{toolchain="python",status="exited"} 1',
    'tutti_sandbox_start_seconds_sum 0.02',
    'tutti_runs_started_total 1',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
  expect(text).not.toContain('tutti_tool_calls_total{');
});

it('leaves out what cannot be collected', async () => {
  const metrics = new Metrics();
  metrics.onCollect(() => Promise.reject(new Error('not there')));
  metrics.onCollect(() => metrics.set('tutti_store_bytes', [], 5));
  await metrics.collect();
  expect(metrics.render()).toContain('tutti_store_bytes 5\n');
  metrics.clear('tutti_store_bytes');
  expect(metrics.sum('tutti_store_bytes')).toBe(0);
});

it('counts the calls that were answered from kept results', () => {
  const metrics = new Metrics();
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'get',
    'tutti.server': 'shop',
    'tutti.cache': 'hit',
  };
  countSpan(metrics, aCall({ attributes }));
  const labels = 'server="shop",tool="get",outcome="hit"';
  expect(metrics.render()).toContain(`tutti_tool_cache_total{${labels}} 1\n`);
});
