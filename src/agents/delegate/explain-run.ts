import type { ExplainedDelegation } from '../../contract/agents/index.ts';
import type { DelegationRow, DelegationStore } from './delegation-store.ts';

const maxTreeDepth = 8;

/** The decisions of a run, with those of the runs they started. */
export async function explainRun(
  store: DelegationStore,
  callerId: string,
  runId: string,
): Promise<readonly ExplainedDelegation[]> {
  const rows = await store.ofRun(callerId, runId);
  const own = rows.filter((row) => row.runId === runId);
  const roots = own.length > 0 ? own : rows;
  return Promise.all(roots.map((row) => explainRow(store, row, maxTreeDepth)));
}

async function explainRow(
  store: DelegationStore,
  row: DelegationRow,
  depth: number,
): Promise<ExplainedDelegation> {
  const { runId, callerId, startedAtMs, endedAtMs } = row;
  const below = runId === null || depth === 0 ? [] : await store.ofRun(callerId, runId);
  const inner = below.filter(({ parentRun }) => parentRun === runId);
  const {
    key,
    attempt,
    agent,
    version,
    capability,
    task,
    decision,
    parentRun,
    parentStep,
    verdict,
    error,
  } = row;
  return {
    key,
    attempt,
    agent,
    version,
    capability,
    task,
    decision,
    parentRun,
    parentStep,
    runId,
    verdict,
    error,
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
    children: await Promise.all(inner.map((one) => explainRow(store, one, depth - 1))),
  };
}
