import { z } from 'zod';
import type { EmbeddedEngineParts } from '../embedded/embedded-engine.ts';
import type { JournalEntry, RunRecord } from '../engine/run-store.ts';
import type { RunExecutor } from '../runs/workflows-parts.ts';

/**
 * Has Restate and its workers execute runs. The store holds the run and its outcome;
 * what decides is Restate's journal.
 *
 * 1. A run is in the store before Restate hears of it; handing it over again does nothing more, so that
 *    any process may hand over a run that was not.
 * 2. A worker executes a run only with its lease, as the embedded engine does: two workers that were
 *    both given it never execute it at once.
 * 3. What is written to the store's journal follows from Restate's and is for display.
 */
export interface RestateEngine extends RunExecutor {
  /** Executes runs in this process whenever Restate asks for it, until it is closed. */
  serveWorker(options: WorkerAddress): Promise<RestateWorker>;
}

/** What the embedded engine needs, too, and where Restate is. */
export interface RestateEngineParts extends Omit<EmbeddedEngineParts, 'faultPoint' | 'limits'> {
  readonly ingressUrl: string;
  readonly adminUrl: string;
  /** Requests to workers that were not signed with it are refused; all are taken when there is none. */
  readonly identityKey?: string | undefined;
  readonly limits: RestateLimits;
}

export interface WorkerAddress {
  readonly host: string;
  /** 0 takes a free one. Several workers of one user may listen on the same one. */
  readonly port: number;
  /** How Restate reaches the workers where that is not their own address: that of a proxy. */
  readonly url?: string | undefined;
}

export interface RestateWorker {
  /** As Restate knows it. */
  readonly url: string;
  /** Takes no more runs, aborts what runs without recording it, gives all leases back. */
  close(): Promise<void>;
}

export interface RestateLimits {
  readonly durability: 'normal' | 'full';
  readonly renewMs: number;
  /** How long Restate may take to answer. */
  readonly requestMs: number;
  /**
   * Restate takes a run that has said nothing for this long from its worker until something comes for it.
   * A call may take longer; then the outcomes of its neighbours are used only when it is over.
   */
  readonly inactivityMs: number;
  /** A call that takes longer than this beyond `inactivityMs` is cut off. */
  readonly abortMs: number;
  /** How long Restate knows a run that ended. */
  readonly retentionMs: number;
  /** A run that waits for a person is shown as waiting after this long. */
  readonly waitingAfterMs: number;
  /** An activity that takes longer than this is noted as begun. */
  readonly beganAfterMs: number;
  /** How often runs are looked for that were stored and not handed over. */
  readonly scanMs: number;
  /** How often others' writes are looked for by those who follow a run. */
  readonly pollMs: number;
  /** How long cancelled activities have to end before the run ends without them. */
  readonly cancelGraceMs: number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

export const defaultRestateLimits: RestateLimits = {
  durability: 'normal',
  renewMs: 5_000,
  requestMs: 10_000,
  inactivityMs: 10 * minuteMs,
  abortMs: 7 * dayMs,
  retentionMs: dayMs,
  waitingAfterMs: 50,
  beganAfterMs: 100,
  scanMs: 5_000,
  pollMs: 100,
  cancelGraceMs: 10_000,
};

/** Activities of one run at once: what Restate does to find the next result grows with their square. */
export const restateMaxParallel = 64;

/** Loaded only by those who use this engine. */
export type RestateSdk = typeof import('@restatedev/restate-sdk');

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

/**
 * Ends the coroutine of a run from outside; thrown by `next`. cancelled: on request · too-long:
 * its time is over · lost: another worker owns it and continues.
 */
export class RunStopped extends Error {
  readonly reason: 'cancelled' | 'too-long' | 'lost';

  constructor(reason: 'cancelled' | 'too-long' | 'lost') {
    super(`the run was stopped: ${reason}`);
    this.name = 'RunStopped';
    this.reason = reason;
  }
}
