import { orAborted, reportError, type Log, type Timers } from '../../kernel/index.ts';
import type { MemoryItemStore } from './memory-item-store.ts';

/** Vectors of texts, of length 1. */
export type EmbedTexts = (
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<readonly Float32Array[]>;

export interface BacklogParts {
  readonly store: MemoryItemStore;
  /** Without it items are found by their words. */
  readonly embed?: EmbedTexts | undefined;
  readonly timers: Timers;
  readonly log: Log;
  /** How long after the first sign of work it begins: commands that end sooner do not pay for it. */
  readonly delayMs?: number;
}

const defaultDelayMs = 2_000;
/** Turns that become items in one transaction. */
const turnsPerRound = 200;
const textsPerRound = 32;
/** Rounds without a rest; the next sign of work goes on from there. */
const maxRounds = 5_000;

/**
 * Makes items of turns that were stored before there were items, and computes vectors that are missing. Works in
 * small rounds, each of which is kept, so that it goes on where a process died; several may do it at once. Never throws.
 */
export class Backlog {
  readonly #parts: BacklogParts;
  readonly #end = new AbortController();
  #cancel: (() => void) | undefined;
  #work: Promise<void> | undefined;

  constructor(parts: BacklogParts) {
    this.#parts = parts;
  }

  /** There may be something to do. */
  wake(): void {
    if (this.#cancel || this.#work || this.#end.signal.aborted) return;
    const { timers, delayMs = defaultDelayMs } = this.#parts;
    this.#cancel = timers.after(delayMs, () => {
      this.#cancel = undefined;
      void this.fill();
    });
  }

  /** Resolves when all is done, or cannot be done at present. */
  fill(): Promise<void> {
    this.#work ??= this.#fill().finally(() => {
      this.#work = undefined;
    });
    return this.#work;
  }

  async close(): Promise<void> {
    this.#cancel?.();
    this.#end.abort(new Error('the memory was closed'));
    await this.#work;
  }

  async #fill(): Promise<void> {
    const { store, log } = this.#parts;
    const { signal } = this.#end;
    try {
      for (let round = 0; round < maxRounds && !signal.aborted; round += 1) {
        const indexed = await store.indexTurns(turnsPerRound);
        const embedded = await this.#embedRound(signal);
        if (indexed + embedded === 0) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      log.warn('failed to index memory items', { message: reportError(error).message });
    }
  }

  async #embedRound(signal: AbortSignal): Promise<number> {
    const { store, embed } = this.#parts;
    if (!embed) return 0;
    const pending = await store.pendingVectors(textsPerRound);
    if (pending.length === 0) return 0;
    const texts = pending.map(({ text }) => text);
    // A command that ends does not wait for a model that is being loaded.
    const vectors = await orAborted(embed(texts, signal), signal);
    const found = pending.flatMap(({ id }, n) => {
      const vector = vectors[n];
      return vector ? [{ id, vector }] : [];
    });
    await store.addVectors(found);
    return found.length;
  }
}
