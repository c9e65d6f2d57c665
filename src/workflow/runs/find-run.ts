import type { Caller } from '../../contract/caller/index.ts';
import type { RunStatus, RunSummary } from '../../contract/run/index.ts';
import { nearest } from '../../kernel/index.ts';
import type { RunRecord, RunStore, WholeRun } from '../engine/run-store.ts';
import {
  AmbiguousRunError,
  RunElsewhereError,
  RunIsOverError,
  UnknownRunError,
  UnknownStepError,
} from '../errors.ts';
import { type RunProjection, projectRun, type RecordedRun } from '../interpret/index.ts';
import type { WorkflowsParts } from './workflows-parts.ts';

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

/** The same without what may be big. */
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

type Tried = { readonly wanted: string; readonly command: string };

/** Throws `workflow.run_elsewhere` for a run of another folder: nothing of it is executed or decided here. */
export async function requireHere(
  { place }: Pick<WorkflowsParts, 'place'>,
  { runId, folder }: Pick<RunSummary, 'runId' | 'folder'>,
  tried: Tried,
): Promise<void> {
  if (folder === undefined) return;
  const here = await place();
  if (folder !== here) throw new RunElsewhereError({ runId, folder }, { ...tried, here });
}

export function isOver(status: RunStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled';
}

export function checkStep(runId: string, step: string, { steps }: RunProjection): void {
  if (steps.has(step)) return;
  throw new UnknownStepError({ runId, step }, nearest(step, steps.keys()));
}

/** A run with all that was recorded of it, and how it stands by that. */
export interface ReadRun {
  readonly record: RunRecord;
  readonly recorded: RecordedRun;
  readonly projection: RunProjection;
}

type ReadParts = Pick<WorkflowsParts, 'plans' | 'limits'>;

/** Goes through the plan once more with what was recorded; executes nothing. */
export async function readRun(
  parts: ReadParts & Pick<WorkflowsParts, 'store'>,
  record: RunRecord,
): Promise<ReadRun> {
  const { store } = parts;
  // Signals first: an entry that came in between may only make the projection newer, never contradict it.
  const signals = record.signals === 0 ? [] : await store.signals(record.runId);
  const entries = await store.journal(record.runId);
  return replayRun(parts, { record, entries, signals });
}

/** The same for a run that is all there. */
export async function replayRun(
  { plans, limits }: ReadParts,
  { record, entries, signals }: WholeRun,
): Promise<ReadRun> {
  const recorded: RecordedRun = {
    runId: record.runId,
    ...plans.prepare(record.plan),
    input: record.input,
    entries,
    signals,
    maxItems: limits.maxItems,
  };
  return { record, recorded, projection: await projectRun(recorded) };
}

/** Of more unclaimed runs than this only a part is marked. */
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
