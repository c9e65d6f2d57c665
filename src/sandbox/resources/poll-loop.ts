/** One timer for all that has to be looked at regularly. It never keeps the process alive. */
export class PollLoop {
  readonly #intervalMs: number;
  readonly #looks = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** Looks at once per interval until the returned function is called. */
  add(look: () => void): () => void {
    this.#looks.add(look);
    this.#timer ??= setInterval(() => this.#lookAtAll(), this.#intervalMs).unref();
    return () => this.#remove(look);
  }

  #lookAtAll(): void {
    for (const look of this.#looks) look();
  }

  #remove(look: () => void): void {
    this.#looks.delete(look);
    if (this.#looks.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
