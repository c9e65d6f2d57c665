import { localCaller } from '../../contract/caller/index.ts';
import { pluralize } from '../../kernel/index.ts';
import { UnknownNameError } from '../errors.ts';
import { type Invocation, limitOption, withSystem } from '../invocation.ts';
import { formatColumns } from '../output.ts';
import type { System } from '../../compose/index.ts';

const usualCount = 20;

export async function run(invocation: Invocation): Promise<number> {
  const { output, operands } = invocation;
  const limit = limitOption(invocation, usualCount);
  return withSystem(invocation, {}, async (system) => {
    const [id] = operands;
    if (id === undefined) {
      const traces = await withStatus(await system.traces.recent(limit), system);
      output.result(traces, () => list(traces));
      return 0;
    }
    const spans = await system.traces.find(id);
    const [first] = spans;
    if (!first) throw new UnknownNameError('trace', id, []);
    output.result({ traceId: first.traceId, spans }, () => system.formatTrace(spans));
    return 0;
  });
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
  const statuses = new Map(runs.map(({ runId, status }) => [runId, status]));
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
