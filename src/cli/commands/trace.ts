import { UnknownNameError } from '../errors.ts';
import { withSystem, type Invocation } from '../invocation.ts';
import { limitOption } from '../limit-option.ts';
import { formatColumns } from '../output.ts';
import type { TraceSummary } from '../system.ts';

const usualCount = 20;

export async function run(invocation: Invocation): Promise<number> {
  const { output, operands } = invocation;
  const limit = limitOption(invocation, usualCount);
  return withSystem(invocation, {}, async (system) => {
    const [id] = operands;
    if (id === undefined) {
      const traces = await system.traces.recent(limit);
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

function list(traces: readonly TraceSummary[]): string {
  if (traces.length === 0) return 'There are no traces yet: every tool call leaves one.';
  return formatColumns(
    traces.map((trace) => [
      trace.traceId,
      new Date(trace.startedAtUs / 1000).toISOString(),
      `${(trace.durationUs / 1000).toFixed(1)} ms`,
      trace.errors > 0 ? 'failed' : 'ok',
      trace.name,
    ]),
  );
}
