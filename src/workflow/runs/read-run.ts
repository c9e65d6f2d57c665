import { picture, type RecordedRun, type RunPicture } from '../interpret/index.ts';
import type { RunRecord, WholeRun } from '../engine/run-store.ts';
import type { WorkflowsParts } from './workflows-parts.ts';

/** A run with all that was recorded of it, and how it stands by that. */
export interface ReadRun {
  readonly record: RunRecord;
  readonly recorded: RecordedRun;
  readonly picture: RunPicture;
}

type ReadParts = Pick<WorkflowsParts, 'plans' | 'limits'>;

/** Goes through the plan once more with what was recorded; executes nothing. */
export async function readRun(
  parts: ReadParts & Pick<WorkflowsParts, 'store'>,
  record: RunRecord,
): Promise<ReadRun> {
  const { store } = parts;
  // Signals first: an entry that came in between may only make the picture newer, never contradict it.
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
  return { record, recorded, picture: await picture(recorded) };
}
