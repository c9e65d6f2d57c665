import { localCaller } from '../../contract/caller/index.ts';
import { pluralize } from '../../kernel/index.ts';
import { UnknownNameError, UsageError } from '../errors.ts';
import { type Invocation, limitOption, textOption, withSystem } from '../invocation.ts';
import { durationMs, formatColumns } from '../output.ts';
import type { System } from '../../compose/index.ts';

const usualCount = 20;

export async function run(invocation: Invocation): Promise<number> {
  const [word, ...others] = invocation.operands;
  if (word === 'find') return find(invocation, others);
  const stray = searchOptions.find((option) => invocation.options[option] !== undefined);
  if (stray !== undefined) throw new UsageError(`--${stray} belongs to "tutti trace find"`);
  if (word === 'explain') return explain(invocation, others);
  if (others.length > 0) throw new UsageError(`"trace" takes one id, and got "${others[0]}" too`);
  const limit = limitOption(invocation, usualCount);
  const { output } = invocation;
  return withSystem(invocation, {}, async (system) => {
    if (word === undefined || word === 'list') {
      const traces = await withStatus(await system.traces.recent(limit), system);
      output.result(traces, () => list(traces));
      return 0;
    }
    const spans = await system.traces.find(word);
    const [first] = spans;
    if (!first) throw new UnknownNameError('trace', word, []);
    output.result({ traceId: first.traceId, spans }, () => system.formatTrace(spans));
    return 0;
  });
}

async function explain(invocation: Invocation, [id, ...extra]: string[]): Promise<number> {
  if (id === undefined) throw new UsageError('"trace explain" wants the id of a trace, or last');
  if (extra.length > 0) throw new UsageError(`"trace explain" takes one id, and got "${extra[0]}"`);
  return withSystem(invocation, {}, async (system) => {
    const explained = await system.traces.explain(id);
    invocation.output.result(explained, () => system.formatExplanation(explained));
    return 0;
  });
}

const searchOptions = ['tool', 'error', 'slower', 'cost', 'since'] as const;

async function find(invocation: Invocation, extra: readonly string[]): Promise<number> {
  if (extra.length > 0) {
    throw new UsageError(`"trace find" takes options only, such as --tool ${extra[0]}`);
  }
  const { options, output } = invocation;
  const tool = textOption(invocation, 'tool');
  const since = textOption(invocation, 'since');
  const slower = textOption(invocation, 'slower');
  const cost = textOption(invocation, 'cost');
  const { error } = options;
  const query = {
    ...(tool !== undefined && { tool }),
    ...(error !== undefined && { error: typeof error === 'string' ? error : '' }),
    ...(slower !== undefined && { minMs: durationMs('slower', slower) }),
    ...(since !== undefined && { sinceMs: Date.now() - durationMs('since', since) }),
    ...(cost !== undefined && { minCostUsd: amount(cost) }),
  };
  const limit = limitOption(invocation, usualCount);
  return withSystem(invocation, {}, async (system) => {
    const found = (await system.traces.search(query)).slice(0, limit);
    output.result(found, () => listFound(found));
    return 0;
  });
}

function amount(text: string): number {
  const usd = /^\$?\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text.replace('$', '')) : -1;
  if (usd < 0) throw new UsageError(`--cost wants US dollars such as 0.05, and got "${text}"`);
  return usd;
}

function listFound(found: Awaited<ReturnType<System['traces']['search']>>): string {
  if (found.length === 0) return 'No trace fits.';
  return formatColumns(
    found.map(({ traceId, name, startedAtUs, durationUs, errors, costUsd }) => [
      traceId,
      new Date(startedAtUs / 1000).toISOString(),
      `${(durationUs / 1000).toFixed(1)} ms`,
      errors > 0 ? pluralize(errors, 'error') : 'ok',
      costUsd > 0 ? `$${costUsd.toFixed(4)}` : '',
      name,
    ]),
  );
}

type TraceSummary = Awaited<ReturnType<System['traces']['recent']>>[number];
type TraceLine = TraceSummary & { readonly status: string };

/** Runs looked through for those of the traces. */
const maxRuns = 1_000;

/** A run knows how it ended: what failed in it may have been tried again, or answered by a person. */
async function withStatus(
  traces: readonly TraceSummary[],
  { workflows }: System,
): Promise<readonly TraceLine[]> {
  const hasRuns = traces.some(({ runId }) => runId !== null);
  const runs = hasRuns ? await workflows.list(localCaller, { limit: maxRuns }) : [];
  const statuses = new Map(
    runs.map(({ runId, status, isInterrupted }) => [runId, isInterrupted ? 'interrupted' : status]),
  );
  return traces.map((trace) => {
    const ofRun = trace.runId === null ? undefined : statuses.get(trace.runId);
    const failures = trace.errors > 0 ? pluralize(trace.errors, 'error') : 'ok';
    return { ...trace, status: ofRun ?? (trace.isFailed ? 'failed' : failures) };
  });
}

function list(traces: readonly TraceLine[]): string {
  if (traces.length === 0) return 'There are no traces yet: every tool call leaves one.';
  return formatColumns(
    traces.map((trace) => [
      trace.traceId,
      new Date(trace.startedAtUs / 1000).toISOString(),
      `${(trace.durationUs / 1000).toFixed(1)} ms`,
      trace.status,
      trace.name,
    ]),
  );
}
