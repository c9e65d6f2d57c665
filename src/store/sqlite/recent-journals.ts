/** Characters of journals that are kept. */
const keptLength = 8_388_608;

/** What is kept of the journal of one run: as it was written, so that it is read as it would be otherwise. */
interface Kept {
  readonly epoch: number;
  readonly texts: string[];
  count: number;
  length: number;
}

/** What a commit added to the journal of a run. */
export interface Added {
  readonly runId: string;
  /** Of the lease it was committed with. */
  readonly epoch: number;
  /** How many entries there were before. */
  readonly place: number;
  readonly count: number;
  readonly text: string;
}

/**
 * Journals that this process wrote from their beginning, under one lease each: who wants to see how such a
 * run stands need not read what was just written. Whoever else adds to a journal changes the epoch of its
 * run first, so with the epoch that is in the row of the run they are complete.
 */
export class RecentJournals {
  /** The one that began first first. */
  readonly #kept = new Map<string, Kept>();
  #length = 0;

  /** To be called after the commit. */
  add({ runId, epoch, place, count, text }: Added): void {
    if (place === 0) this.#begin(runId, epoch);
    const kept = this.#kept.get(runId);
    if (!kept) return;
    if (kept.epoch !== epoch || kept.count !== place) return this.forget(runId);
    kept.texts.push(text);
    kept.count += count;
    kept.length += text.length;
    this.#length += text.length;
    if (this.#length > keptLength) this.#makeRoom();
  }

  /** The texts of all that was committed with leases of this epoch; undefined when they have to be read. */
  of(runId: string, epoch: number): readonly string[] | undefined {
    const kept = this.#kept.get(runId);
    return kept?.epoch === epoch ? kept.texts : undefined;
  }

  /** Nobody knows whether what was to be added is there. */
  forget(runId: string): void {
    this.#length -= this.#kept.get(runId)?.length ?? 0;
    this.#kept.delete(runId);
  }

  /** For a while: what was removed first is gone through by each who looks for the oldest. */
  #makeRoom(): void {
    for (const oldest of this.#kept.keys()) {
      if (this.#length <= keptLength / 2) return;
      this.forget(oldest);
    }
  }

  #begin(runId: string, epoch: number): void {
    this.forget(runId);
    this.#kept.set(runId, { epoch, texts: [], count: 0, length: 0 });
  }
}
