import type { SpanRecord } from '../trace/span.ts';

/** What usage is counted by. */
export const usageKinds = ['tool', 'server', 'model', 'agent', 'caller', 'day'] as const;
export type UsageKind = (typeof usageKinds)[number];

export interface UsageLine {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
  /** Median and the slowest of twenty, in milliseconds. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly tokens: number;
  readonly costUsd: number;
}

/** Calls of tools, and turns of models where it is by model, tasks where it is by agent; busiest first, days in order. */
export function summarizeUsage(
  spans: readonly SpanRecord[],
  { by, sinceMs }: { readonly by: UsageKind; readonly sinceMs: number },
): readonly UsageLine[] {
  const wanted = spans.filter((span) => span.startedAtUs >= sinceMs * 1_000);
  const groups = Map.groupBy(
    wanted.filter((span) => isCounted(span, by)),
    (span) => groupOf(span, by),
  );
  const lines = [...groups].map(([name, those]) => lineOf(name, those));
  return lines.toSorted((a, b) =>
    by === 'day' ? a.name.localeCompare(b.name) : b.calls - a.calls || (a.name < b.name ? -1 : 1),
  );
}

function isCounted({ attributes }: SpanRecord, by: UsageKind): boolean {
  const operation = attributes['gen_ai.operation.name'];
  if (by === 'model') return operation === 'chat';
  if (by === 'agent') return operation === 'invoke_agent';
  return operation === 'execute_tool' || (by === 'day' && operation === 'chat');
}

function groupOf(span: SpanRecord, by: UsageKind): string {
  const { attributes, startedAtUs, callerId } = span;
  const keys = {
    tool: attributes['gen_ai.tool.name'],
    server: attributes['tutti.server'],
    model: attributes['gen_ai.request.model'],
    agent: attributes['gen_ai.agent.name'],
    caller: callerId,
    day: new Date(startedAtUs / 1_000).toISOString().slice(0, 10),
  };
  return String(keys[by] ?? 'unknown');
}

function lineOf(name: string, spans: readonly SpanRecord[]): UsageLine {
  const times = spans.map(({ durationUs }) => durationUs / 1_000).toSorted((a, b) => a - b);
  const at = (part: number): number => times[Math.floor((times.length - 1) * part)] ?? 0;
  const sum = (key: string): number =>
    spans.reduce((total, { attributes }) => total + (Number(attributes[key]) || 0), 0);
  return {
    name,
    calls: spans.length,
    errors: spans.filter(({ status }) => status === 'error').length,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    tokens: sum('gen_ai.usage.input_tokens') + sum('gen_ai.usage.output_tokens'),
    costUsd: sum('tutti.cost_usd'),
  };
}
