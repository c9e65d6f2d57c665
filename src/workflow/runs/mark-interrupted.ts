import type { RunSummary } from '../../contract/run/index.ts';
import type { RunStore } from '../engine/run-store.ts';

/** More runs than this that nobody executes are marked in part. */
const maxUnclaimed = 1_000;

/** Marks runs that were begun and that no process executes any more. */
export async function markInterrupted<Run extends RunSummary>(
  store: Pick<RunStore, 'unclaimed'>,
  runs: readonly Run[],
): Promise<readonly Run[]> {
  const isBegun = ({ status, engine }: Run): boolean =>
    status === 'running' && engine === 'embedded';
  if (!runs.some(isBegun)) return runs;
  const left = new Set(await store.unclaimed('embedded', maxUnclaimed, 'anywhere'));
  return runs.map((run) =>
    isBegun(run) && left.has(run.runId) ? { ...run, isInterrupted: true } : run,
  );
}
