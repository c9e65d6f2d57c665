import type { RunRecord } from '../../workflow/engine/index.ts';

/** A run as its end was written, and the epoch of the lease that was written with. */
export interface EndedRun {
  readonly record: RunRecord;
  readonly epoch: number;
}

/**
 * Runs that this process ended in this turn of the event loop: who waited for the end of one sees it as it
 * was then, without reading what was just written. What others do with it afterwards is seen from the
 * next turn on.
 */
export class EndedRuns {
  /** What the transaction under way ends. */
  #ending: EndedRun[] = [];
  #ended: Map<string, EndedRun> | undefined;

  add(run: EndedRun): void {
    this.#ending.push(run);
  }

  /** The transaction was committed. */
  onCommitted(): void {
    if (this.#ending.length === 0) return;
    if (!this.#ended) setImmediate(() => (this.#ended = undefined));
    this.#ended ??= new Map();
    for (const run of this.#ending) this.#ended.set(run.record.runId, run);
    this.#ending = [];
  }

  /** It was not, or nobody knows. */
  onFailed(): void {
    this.#ending = [];
  }

  get(runId: string): EndedRun | undefined {
    return this.#ended?.get(runId);
  }
}
