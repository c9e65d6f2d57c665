import type { Log } from '../../kernel/index.ts';
import type { ChangeListener } from './embedded-engine.ts';

/** Who wants to hear when runs change. */
export class RunListeners {
  readonly #log: Log;
  /** By the run they want to hear of; null for all. */
  readonly #listeners = new Map<string | null, Set<ChangeListener>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** For how many runs there are some. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Until the returned function is called. */
  add(listener: ChangeListener, runId: string | null): () => void {
    // A function of its own, so that the same listener can be given twice.
    const own: ChangeListener = (...news) => listener(...news);
    const others = this.#listeners.get(runId) ?? new Set();
    this.#listeners.set(runId, others.add(own));
    return () => {
      if (others.delete(own) && others.size === 0) this.#listeners.delete(runId);
    };
  }

  tell(runId: string | null, isTurn = false): void {
    if (runId === null) {
      // Those who listen from now on are told the next time.
      const told = [...this.#listeners.values()];
      for (const listeners of told) this.#tellThese(listeners, null, isTurn);
      return;
    }
    this.#tellThese(this.#listeners.get(runId), runId, isTurn);
    this.#tellThese(this.#listeners.get(null), runId, isTurn);
  }

  /** A listener that throws is a bug of its own and must not become one of the run. */
  #tellThese(
    listeners: ReadonlySet<ChangeListener> | undefined,
    runId: string | null,
    isTurn: boolean,
  ): void {
    if (!listeners) return;
    for (const listener of listeners) {
      try {
        listener(runId, isTurn);
      } catch (error) {
        this.#log.error('somebody who listens to runs failed', { runId, error });
      }
    }
  }
}
