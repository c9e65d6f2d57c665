import { createIsoTime } from '../../kernel/index.ts';
import type { NewRunRecord, RunNotice, RunRecord } from '../../workflow/engine/index.ts';
import type { RunContents } from './run-contents.ts';

/** More are started at once by nobody; those beyond are read. */
const maxRuns = 1_000;

type Created = Omit<NewRunRecord, 'plan' | 'input' | 'meta'> & Pick<RunRecord, 'name' | 'goal'>;

/**
 * Runs that this process stored and nobody has claimed since, as far as it knows: who takes one on need not
 * read what was just written. What of a run others may have changed meanwhile comes from its row.
 */
export class FreshRuns {
  readonly #contents: RunContents;
  readonly #created = new Map<string, Created>();
  readonly #isoTime = createIsoTime();

  constructor(contents: RunContents) {
    this.#contents = contents;
  }

  add({ plan, input: _input, meta: _meta, ...run }: NewRunRecord): void {
    // What a fork took over has to be read.
    if (run.journal !== undefined && run.journal.length > 0) return;
    for (const oldest of this.#created.keys()) {
      if (this.#created.size < maxRuns) break;
      this.#created.delete(oldest);
    }
    this.#created.set(run.runId, { ...run, name: plan.name ?? null, goal: plan.goal ?? null });
  }

  /** The run now that it was claimed for the first time; undefined when it has to be read. */
  take(notice: RunNotice, claimedAtMs: number): RunRecord | undefined {
    const { runId } = notice;
    const created = this.#created.get(runId);
    const contents = created && this.#contents.known(runId);
    this.#created.delete(runId);
    if (!contents) return undefined;
    const { plan, input, meta } = contents;
    return {
      runId,
      name: created.name,
      goal: created.goal,
      status: 'running',
      engine: created.engine,
      createdAt: this.#isoTime(created.createdAtMs),
      startedAt: this.#isoTime(claimedAtMs),
      endedAt: null,
      forkedFrom: created.forkedFrom,
      plan,
      input,
      meta,
      callerId: created.callerId,
      request: notice.request,
      requestReason: notice.requestReason,
      deadlineMs: created.deadlineMs,
      signals: notice.signals,
    };
  }
}
