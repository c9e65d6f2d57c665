import { spanAttribute, type SpanRecord } from '../trace/span.ts';
import type { Metrics } from './metrics.ts';

/** Counts what a finished span stands for: a call, a step, a turn of a model, an agent, memory, a sandbox. */
export function countSpan(metrics: Metrics, span: SpanRecord): void {
  const operation = textOf(span, 'gen_ai.operation.name');
  if (operation === 'execute_tool') countCall(metrics, span);
  else if (operation === 'chat') countTurn(metrics, span);
  else if (operation === 'invoke_agent') countAgent(metrics, span);
  else if (operation.endsWith('_memory')) {
    metrics.add('tutti_memory_operations_total', [operation, outcomeOf(span)]);
    metrics.observe('tutti_memory_operation_duration_seconds', [operation], secondsOf(span));
  } else if (span.attributes['tutti.step.attempt'] !== undefined) countStep(metrics, span);
  else if (span.name.startsWith('sandbox ')) countProgram(metrics, span);
  else if (span.name.startsWith('run ')) metrics.add('tutti_runs_started_total', []);
}

function countCall(metrics: Metrics, span: SpanRecord): void {
  const server = textOf(span, 'tutti.server');
  const tool = textOf(span, 'gen_ai.tool.name');
  const face = textOf(span, 'tutti.face') || 'mcp';
  const outcome = outcomeOf(span);
  const seconds = secondsOf(span);
  metrics.add('tutti_tool_calls_total', [server, tool, outcome]);
  metrics.add('tutti_server_calls_total', [server, outcome]);
  metrics.add('tutti_face_calls_total', [face, outcome]);
  metrics.add('tutti_caller_calls_total', [span.callerId, outcome]);
  metrics.observe('tutti_tool_call_duration_seconds', [server, tool], seconds);
  metrics.observe('tutti_server_call_duration_seconds', [server], seconds);
  metrics.observe('tutti_face_call_duration_seconds', [face], seconds);
  const kept = textOf(span, 'tutti.cache');
  if (kept !== '') metrics.add('tutti_tool_cache_total', [server, tool, kept]);
  const waitedMs = numberOf(span, 'tutti.queue.wait_ms');
  if (waitedMs > 0) metrics.observe('tutti_queue_wait_seconds', [server], waitedMs / 1_000);
  const startMs = numberOf(span, 'tutti.server.start_ms');
  if (startMs > 0) metrics.observe('tutti_server_start_seconds', [server], startMs / 1_000);
}

function countTurn(metrics: Metrics, span: SpanRecord): void {
  const model = textOf(span, 'gen_ai.request.model') || 'unknown';
  metrics.add('tutti_model_turns_total', [model, outcomeOf(span)]);
  metrics.observe('tutti_model_turn_duration_seconds', [model], secondsOf(span));
  const tokens = (name: string): number => numberOf(span, `gen_ai.usage.${name}_tokens`);
  metrics.add('tutti_model_tokens_total', [model, 'input'], tokens('input'));
  metrics.add('tutti_model_tokens_total', [model, 'output'], tokens('output'));
  metrics.add('tutti_model_cost_usd_total', [model], numberOf(span, 'tutti.cost_usd'));
}

function countAgent(metrics: Metrics, span: SpanRecord): void {
  const agent = textOf(span, 'gen_ai.agent.name');
  const said = textOf(span, 'tutti.agent.outcome');
  const outcome = outcomeOf(span) === 'ok' && said !== '' ? said : outcomeOf(span);
  metrics.add('tutti_agent_requests_total', [agent, outcome]);
  metrics.observe('tutti_agent_request_duration_seconds', [agent], secondsOf(span));
}

function countStep(metrics: Metrics, span: SpanRecord): void {
  const outcome = textOf(span, 'tutti.step.outcome') || 'cancelled';
  metrics.add('tutti_step_attempts_total', [outcome]);
  if (numberOf(span, 'tutti.step.attempt') > 1) metrics.add('tutti_step_retries_total', []);
  metrics.observe('tutti_step_duration_seconds', [], secondsOf(span));
}

function countProgram(metrics: Metrics, span: SpanRecord): void {
  const toolchain = span.name.slice('sandbox '.length);
  const status = textOf(span, 'tutti.sandbox.status') || 'error';
  metrics.add('tutti_sandbox_runs_total', [toolchain, status]);
  metrics.observe('tutti_sandbox_run_duration_seconds', [toolchain], secondsOf(span));
  const startMs = numberOf(span, 'tutti.sandbox.start_ms');
  metrics.observe('tutti_sandbox_start_seconds', [], startMs / 1_000);
}

function outcomeOf({ attributes, status }: SpanRecord): string {
  if (attributes[spanAttribute.cancelled] === true) return 'cancelled';
  return status === 'error' ? 'error' : 'ok';
}

function secondsOf({ durationUs }: SpanRecord): number {
  return durationUs / 1_000_000;
}

function textOf({ attributes }: SpanRecord, name: string): string {
  const value = attributes[name];
  return typeof value === 'string' ? value : '';
}

function numberOf({ attributes }: SpanRecord, name: string): number {
  const value = attributes[name];
  return typeof value === 'number' && value > 0 ? value : 0;
}
