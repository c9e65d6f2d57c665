import { createIsoTime } from '../../kernel/index.ts';
import type { NewRunRecord, RunRecord } from '../../workflow/engine/index.ts';
import type { RunContents } from './run-contents.ts';

/** More are started at once by nobody; those beyond are read. */
const maxRuns = 1_000;

type Created = Omit<NewRunRecord, 'plan' | 'input' | 'meta'> & Pick<RunRecord, 'name' | 'goal'>;

/**
 * Runs that this process stored and has not claimed since: who takes one on need not read what was just
 * written. Whether others changed it meanwhile, its row tells the claim.
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
    if (run.journal !== undefined || run.signals !== undefined) return;
    for (const oldest of this.#created.keys()) {
      if (this.#created.size < maxRuns) break;
      this.#created.delete(oldest);
    }
    this.#created.set(run.runId, { ...run, name: plan.name ?? null, goal: plan.goal ?? null });
  }

  /** The run as it is once it was claimed, if nothing came for it before; undefined when it has to be read. */
  take(runId: string, claimedAtMs: number): RunRecord | undefined {
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
      request: null,
      requestReason: null,
      deadlineMs: created.deadlineMs,
      signals: 0,
    };
  }
}
