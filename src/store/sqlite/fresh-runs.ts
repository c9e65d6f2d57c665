import { createIsoTime, Registry } from '../../kernel/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { RunSummary } from '../../contract/run/index.ts';
import type { NewRunRecord, RunRecord } from '../../workflow/engine/index.ts';
import type { RunContents } from './run-contents.ts';

/** More are started at once by nobody; those beyond are read. */
const maxRuns = 1_000;

type Created = Omit<NewRunRecord, 'plan' | 'input' | 'meta'> &
  Pick<RunRecord, 'name' | 'goal'> & {
    /** Whether somebody asked how it stands. */
    isAskedFor: boolean;
    /** When this process took it on; null before. */
    claimedAtMs: number | null;
  };

/**
 * Runs that this process stored and whose status it has not changed since, but for taking them on: who takes
 * one on, or asks for it for the first time, need not read what was just written. Whether others changed it
 * before, its row tells the claim; afterwards nobody else can while the lease lasts, and who finds that it does
 * not forgets the run.
 */
export class FreshRuns {
  readonly #contents: RunContents;
  readonly #created = new Registry<Created>();
  readonly #isoTime = createIsoTime();

  constructor(contents: RunContents) {
    this.#contents = contents;
  }

  add({ plan, input: _input, meta: _meta, ...run }: NewRunRecord): void {
    // What a fork took over has to be read.
    if (run.journal !== undefined || run.signals !== undefined) return;
    if (this.#created.size >= maxRuns) this.#created.clear();
    const { name = null, goal = null } = plan;
    this.#created.set(run.runId, { ...run, name, goal, isAskedFor: false, claimedAtMs: null });
  }

  /**
   * The run as it stands, once: who starts a run and then follows it asks that, and what others may have done
   * meanwhile is found out by what comes next.
   */
  summarize(runId: string, caller: Caller): RunSummary | undefined {
    const created = this.#created.get(runId);
    if (!created || created.isAskedFor || created.callerId !== caller.id) return undefined;
    created.isAskedFor = true;
    const { claimedAtMs } = created;
    const stored = { runId, ...this.#asStored(created) };
    if (claimedAtMs === null) return { ...stored, status: 'queued', startedAt: null };
    this.#created.delete(runId);
    return { ...stored, status: 'running', startedAt: this.#isoTime(claimedAtMs) };
  }

  /** The run as it is once it was claimed, if nothing came for it before; undefined when it has to be read. */
  take(runId: string, claimedAtMs: number): RunRecord | undefined {
    const created = this.#created.get(runId);
    const contents = created?.claimedAtMs === null && this.#contents.known(runId);
    if (!contents) {
      this.#created.delete(runId);
      return undefined;
    }
    if (created.isAskedFor) this.#created.delete(runId);
    else created.claimedAtMs = claimedAtMs;
    const { plan, input, meta } = contents;
    return {
      runId,
      ...this.#asStored(created),
      status: 'running',
      startedAt: this.#isoTime(claimedAtMs),
      plan,
      input,
      meta,
      callerId: created.callerId,
      request: null,
      requestReason: null,
      deadlineMs: created.deadlineMs,
      signals: 0,
    };
  }

  /** It has another status now, or somebody else may have it. */
  forget(runId: string): void {
    this.#created.delete(runId);
  }

  #asStored({
    name,
    goal,
    engine,
    createdAtMs,
    forkedFrom,
  }: Created): Omit<RunSummary, 'runId' | 'status' | 'startedAt'> {
    const createdAt = this.#isoTime(createdAtMs);
    return { name, goal, engine, createdAt, endedAt: null, forkedFrom };
  }
}
