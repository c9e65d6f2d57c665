import type { RunRecord } from '../../workflow/engine/index.ts';

/** A run as its end was written, and the epoch of the lease that was written with. */
export interface EndedRun {
  readonly record: RunRecord;
  readonly epoch: number;
}

/**
 * Runs that this process ended in this turn of the event loop, or whose end is not on the disk yet: who
 * waited for the end of one sees it as it was then, without reading what was just written.
 *
 * 1. What others did with it in an earlier turn is seen.
 * 2. Nothing is kept longer than its sync takes, and a turn.
 */
export class EndedRuns {
  /** What the transaction under way ends. */
  #ending: EndedRun[] = [];
  #version: number | undefined;
  readonly #batches = new Set<Batch>();
  /** What was last found in this turn. */
  #versionNow: number | undefined;

  add(run: EndedRun): void {
    this.#ending.push(run);
  }

  /** Within the transaction: nobody else can have done anything with what it ends. */
  onCommitting(version: number | undefined): void {
    this.#version = version;
  }

  /** `synced` settles when what was committed is on the disk; undefined where nobody waits for that. */
  onCommitted(synced: Promise<unknown> | undefined): void {
    if (this.#ending.length === 0) return;
    const runs = new Map(this.#ending.map((run) => [run.record.runId, run]));
    const batch = { runs, version: this.#version };
    this.#ending = [];
    this.#batches.add(batch);
    const removeSoon = (): void => void setImmediate(() => this.#batches.delete(batch));
    if (synced) synced.then(removeSoon, removeSoon);
    else removeSoon();
  }

  /** It was not committed, or nobody knows. */
  onFailed(): void {
    this.#ending = [];
  }

  /** `version`: changes whenever somebody else has committed something. */
  get(runId: string, version: () => number): EndedRun | undefined {
    for (const batch of this.#batches) {
      const run = batch.runs.get(runId);
      if (!run) continue;
      return batch.version === undefined || batch.version === this.#inTurn(version)
        ? run
        : undefined;
    }
    return undefined;
  }

  /** Once a turn: runs end by the hundred, and for each it would be a tenth of what a short one takes. */
  #inTurn(version: () => number): number {
    if (this.#versionNow === undefined) {
      this.#versionNow = version();
      setImmediate(() => (this.#versionNow = undefined));
    }
    return this.#versionNow;
  }

  /** What this process does to a run afterwards has to be read. */
  forget(runId: string): void {
    for (const { runs } of this.#batches) runs.delete(runId);
  }
}

interface Batch {
  readonly runs: Map<string, EndedRun>;
  /** Undefined where it is forgotten with the turn. */
  readonly version: number | undefined;
}
