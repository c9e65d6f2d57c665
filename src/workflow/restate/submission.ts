import { z } from 'zod';
import type { JournalEntry, RunRecord } from '../engine/run-store.ts';

/**
 * What Restate is given with a run. The plan and the input are in the store and never change; entries
 * of the store's journal are only ever added, so that their number says which were there.
 */
export const submissionSchema = z.object({
  runId: z.string().min(1),
  /** How often steps of it were made to run again: each time is a workflow of its own in Restate. */
  round: z.int().min(0),
  /** Entries the journal had: what they hold is known and not asked for again. */
  recorded: z.int().min(0),
  /** Time the run has left; null when it has no limit. */
  limitMs: z.int().min(0).nullable(),
});

export type Submission = z.infer<typeof submissionSchema>;

export function submissionOf(
  run: RunRecord,
  entries: readonly JournalEntry[],
  nowMs: number,
): Submission {
  return {
    runId: run.runId,
    round: roundOf(entries),
    recorded: entries.length,
    limitMs: run.deadlineMs === null ? null : Math.max(0, Math.ceil(run.deadlineMs - nowMs)),
  };
}

export function roundOf(entries: readonly JournalEntry[]): number {
  return entries.filter((entry) => entry.kind === 'forgotten').length;
}

/** What the run is called in Restate, which runs a workflow of one key just once. */
export function workflowKey(runId: string, round: number): string {
  return round === 0 ? runId : `${runId}.${round}`;
}
