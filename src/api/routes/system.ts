import { z } from 'zod';
import { isServerInScope } from '../../contract/access/index.ts';
import { runStatuses } from '../../contract/run/index.ts';
import { type SpanRecord, type TraceSummary, usageKinds } from '../../observe/index.ts';
import { type ApiRoute, byId, integerParam, routesOf } from '../define-route.ts';
import { pageAfter, pageOf, pageQuery } from '../page.ts';

const traces = routesOf('Traces');
const system = routesOf('System');

/** Traces and runs that lists and counts reach. */
const maxTraces = 500;
const maxCountedRuns = 1_000;
const maxUsageLines = 1_000;
const usualUsageSeconds = 7 * 24 * 3_600;
const maxUsageSeconds = 366 * 24 * 3_600;

const traceSchema = z.object({
  traceId: z.string(),
  name: z.string(),
  startedAt: z.string(),
  durationMs: z.number(),
  spans: z.int(),
  errors: z.int(),
  isFailed: z.boolean(),
  runId: z.string().nullable(),
});

const spanSchema = z.object({
  spanId: z.string(),
  parentSpanId: z.string().nullable(),
  name: z.string(),
  kind: z.string(),
  startedAt: z.string(),
  durationMs: z.number(),
  status: z.enum(['unset', 'ok', 'error']),
  statusMessage: z.string().nullable(),
  attributes: z.record(z.string(), z.unknown()),
});

const modelSchema = z.object({
  name: z.string(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  source: z.enum(['configured', 'detected', 'client']),
  roles: z.record(z.string(), z.int()).describe('Its place in each role: 1 is asked first.'),
  contextTokens: z.int().nullable(),
  isReachable: z.boolean(),
  problem: z.string().optional(),
});

const usageSchema = z.object({
  name: z.string(),
  calls: z.int(),
  errors: z.int(),
  p50Ms: z.number(),
  p95Ms: z.number().describe('The slowest of twenty.'),
  tokens: z.int(),
  costUsd: z.number(),
});

const counts = z.record(z.string(), z.int());

export const systemRoutes: readonly ApiRoute[] = [
  traces.get('/traces', {
    summary: 'List traces, latest first',
    permission: 'traces.read',
    query: z.strictObject(pageQuery),
    answer: pageOf(traceSchema),
    async handle({ caller, query }, { traces }) {
      const recent = await traces.recent(caller, maxTraces);
      return pageAfter(recent.map(showTrace), query, ({ traceId }) => traceId);
    },
  }),
  traces.get('/traces/{id}', {
    summary: 'Show the spans of a trace',
    permission: 'traces.read',
    params: byId,
    answer: z.object({ traceId: z.string(), spans: z.array(spanSchema) }),
    async handle({ caller, params }, { traces }) {
      const spans = await traces.find(caller, params.id);
      return { traceId: spans[0]?.traceId ?? params.id, spans: spans.map(showSpan) };
    },
  }),
  system.get('/models', {
    summary: 'List the language models and how they do',
    permission: 'models.read',
    answer: z.object({ items: z.array(modelSchema) }),
    async handle(_call, { models }) {
      const items = (await models.list()).map(({ url: _url, problem, roles, ...model }) => ({
        ...model,
        roles,
        ...(problem !== undefined && { problem }),
      }));
      return { items };
    },
  }),
  system.get('/usage', {
    summary: 'Count calls, runs and sessions',
    description:
      'Runs and sessions are those of the caller, of its latest 1,000 runs; calls are those of this process.',
    permission: 'usage.read',
    answer: z.object({
      runs: counts.describe('By status.'),
      sessions: z.int(),
      calls: z.object({ total: z.int(), failed: z.int() }),
    }),
    async handle({ caller }, { workflows, memory, fleet }) {
      const runs = await workflows.list(caller, { limit: maxCountedRuns });
      const sessions = await memory.sessions.list(caller, { limit: maxCountedRuns });
      const servers = (await fleet.status()).filter(({ name }) => isServerInScope(caller, name));
      const byStatus = runStatuses
        .map((status) => [status, runs.filter((run) => run.status === status).length] as const)
        .filter(([, count]) => count > 0);
      return {
        runs: Object.fromEntries(byStatus),
        sessions: sessions.length,
        calls: {
          total: servers.reduce((sum, { calls }) => sum + calls, 0),
          failed: servers.reduce((sum, { failedCalls }) => sum + failedCalls, 0),
        },
      };
    },
  }),
  system.get('/usage/calls', {
    summary: 'Count calls of the caller by tool, server, model, agent, caller or day',
    description: 'From its traces, of its latest 50,000 spans.',
    permission: 'usage.read',
    query: z.strictObject({
      by: z.enum(usageKinds).optional().describe('`tool` unless given.'),
      seconds: integerParam({ min: 1, max: maxUsageSeconds })
        .optional()
        .describe('How far back; 604,800 (a week) unless given.'),
    }),
    answer: z.object({ items: z.array(usageSchema) }),
    async handle({ caller, query }, { summarizeUsage }) {
      const { by = 'tool', seconds = usualUsageSeconds } = query;
      const sinceMs = Date.now() - seconds * 1_000;
      return { items: (await summarizeUsage(caller, { by, sinceMs })).slice(0, maxUsageLines) };
    },
  }),
  system.get('/health', {
    summary: 'Say how the system does',
    permission: 'servers.read',
    answer: z.object({
      status: z.enum(['ok', 'degraded']).describe('`degraded`: a server failed.'),
      version: z.string(),
      uptimeSeconds: z.int(),
      servers: counts.describe('By state.'),
    }),
    async handle(_call, { fleet, version }) {
      const servers: Record<string, number> = {};
      for (const { state } of await fleet.status()) servers[state] = (servers[state] ?? 0) + 1;
      const isDegraded = 'failed' in servers || 'crash-looping' in servers;
      const status: 'ok' | 'degraded' = isDegraded ? 'degraded' : 'ok';
      const uptimeSeconds = Math.floor(process.uptime());
      return { status, version, uptimeSeconds, servers };
    },
  }),
];

function timeOf(us: number): string {
  return new Date(us / 1_000).toISOString();
}

function showTrace(trace: TraceSummary): z.input<typeof traceSchema> {
  const { traceId, name, startedAtUs, durationUs, spans, errors, isFailed, runId } = trace;
  const durationMs = durationUs / 1_000;
  return {
    traceId,
    name,
    startedAt: timeOf(startedAtUs),
    durationMs,
    spans,
    errors,
    isFailed,
    runId,
  };
}

function showSpan(span: SpanRecord): z.input<typeof spanSchema> {
  const { spanId, parentSpanId, name, kind, startedAtUs, durationUs, status } = span;
  return {
    spanId,
    parentSpanId: parentSpanId ?? null,
    name,
    kind,
    startedAt: timeOf(startedAtUs),
    durationMs: durationUs / 1_000,
    status,
    statusMessage: span.statusMessage ?? null,
    attributes: span.attributes,
  };
}
