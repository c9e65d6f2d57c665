import type { Caller } from '../../contract/caller/index.ts';
import type { RunStatus, RunSummary } from '../../contract/run/index.ts';
import type { RunRecord, RunStore, WholeRun } from '../engine/run-store.ts';
import { AmbiguousRunError, RunIsOverError, UnknownRunError } from '../errors.ts';

/** An ambiguous beginning is recognised among the latest runs. */
const maxLookedThrough = 1_000;
const maxAlike = 5;

/** By id or a unique beginning of it. A run of another caller is unknown. */
export async function findRun(store: RunStore, caller: Caller, runId: string): Promise<RunRecord> {
  const record = runId === '' ? undefined : await store.find(caller, runId);
  return record ?? refuse(store, caller, runId);
}

/** The same with all that was recorded of it. */
export async function findWholeRun(
  store: RunStore,
  caller: Caller,
  runId: string,
): Promise<WholeRun> {
  const whole = runId === '' ? undefined : await store.findWhole(caller, runId);
  return whole ?? refuse(store, caller, runId);
}

/** The same for who wants no more than a summary. */
export async function findSummary(
  store: RunStore,
  caller: Caller,
  runId: string,
): Promise<RunSummary> {
  const summary = runId === '' ? undefined : await store.summary(caller, runId);
  return summary ?? refuse(store, caller, runId);
}

async function refuse(store: RunStore, caller: Caller, runId: string): Promise<never> {
  const alike = (await store.list(caller, { limit: maxLookedThrough }))
    .map((run) => run.runId)
    .filter((id) => runId !== '' && id.startsWith(runId));
  if (alike.length > 1) throw new AmbiguousRunError(runId, alike.slice(0, maxAlike));
  throw new UnknownRunError(runId);
}

/** A run that can still be told something; `wanted` says what, for the error. */
export async function findRunUnderWay(
  store: RunStore,
  caller: Caller,
  { runId, wanted }: { readonly runId: string; readonly wanted: string },
): Promise<RunRecord> {
  const record = await findRun(store, caller, runId);
  if (isOver(record.status)) throw new RunIsOverError(record, wanted);
  return record;
}

export function isOver(status: RunStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}
