import { reportError, type Log, type Timers } from '../../kernel/index.ts';

/** Tasks that run beside answers at once; of more, none is begun. */
const maxRunning = 16;
/** How long a process that ends waits for them. */
const maxWaitMs = 30_000;

/** Work that users do not wait for. */
export class Beside {
  readonly #running = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  readonly #parts: { readonly timers: Timers; readonly log: Log };

  constructor(parts: { readonly timers: Timers; readonly log: Log }) {
    this.#parts = parts;
  }

  /** Ends with `signal`, too. */
  begin(signal: AbortSignal, work: (signal: AbortSignal) => Promise<unknown>): void {
    if (this.#running.size >= maxRunning || this.#abort.signal.aborted) return;
    const ended = this.#end(work(AbortSignal.any([signal, this.#abort.signal])));
    this.#running.add(ended);
    void ended.then(() => this.#running.delete(ended));
  }

  async #end(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#parts.log.warn('shadow of an agent failed', { message: reportError(error).message });
    }
  }

  async close(): Promise<void> {
    const cancel = this.#parts.timers.after(maxWaitMs, () => this.#abort.abort());
    await Promise.all(this.#running);
    cancel();
    this.#abort.abort();
  }
}
