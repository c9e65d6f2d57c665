import { UnknownNameError } from '../errors.ts';
import { type Invocation, limitOption, textOption, withSystem } from '../invocation.ts';
import { durationMs, formatColumns } from '../output.ts';
import type { System } from '../../compose/index.ts';

const usualSince = '7d';
const usualCount = 20;

/** What was called how often, from the traces of this data directory. Nothing of it leaves the machine. */
export async function run(invocation: Invocation): Promise<number> {
  const by = textOption(invocation, 'by') ?? 'tool';
  const since = textOption(invocation, 'since') ?? usualSince;
  const limit = limitOption(invocation, usualCount);
  const sinceMs = Date.now() - durationMs('since', since);
  return withSystem(invocation, {}, async (system) => {
    const kind = system.usage.kinds.find((known) => known === by);
    if (kind === undefined) throw new UnknownNameError('kind', by, system.usage.kinds);
    const lines = (await system.usage.summarize({ by: kind, sinceMs })).slice(0, limit);
    invocation.output.result(lines, () => table(lines, { by, since }));
    return 0;
  });
}

type Lines = Awaited<ReturnType<System['usage']['summarize']>>;

function table(lines: Lines, { by, since }: { by: string; since: string }): string {
  if (lines.length === 0) return `Nothing was used in the last ${since}.`;
  const head = [by, 'calls', 'errors', 'median', '95 %', 'tokens', 'cost'];
  const rows = lines.map(({ name, calls, errors, p50Ms, p95Ms, tokens, costUsd }) => [
    name,
    String(calls),
    String(errors),
    `${p50Ms.toFixed(1)} ms`,
    `${p95Ms.toFixed(1)} ms`,
    tokens > 0 ? String(tokens) : '',
    costUsd > 0 ? `$${costUsd.toFixed(4)}` : '',
  ]);
  return formatColumns([head, ...rows]);
}
