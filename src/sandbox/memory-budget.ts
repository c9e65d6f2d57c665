/** Memory for programs that run at once; who finds too little left waits, in order of arrival. */
export class MemoryBudget {
  readonly #totalBytes: number;
  readonly #waiting: { readonly bytes: number; readonly enter: () => void }[] = [];
  #freeBytes: number;

  constructor(totalBytes: number) {
    this.#totalBytes = totalBytes;
    this.#freeBytes = totalBytes;
  }

  /**
   * Resolves when so much is left, with what gives it back. All of it is the most that is waited for.
   * Throws the signal's reason.
   */
  async take(wantedBytes: number, signal: AbortSignal): Promise<() => void> {
    const bytes = Math.min(wantedBytes, this.#totalBytes);
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal.reason);
        this.#admit();
      };
      const enter = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const waiter = { bytes, enter };
      signal.throwIfAborted();
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
      this.#admit();
    });
    return () => {
      this.#freeBytes += bytes;
      this.#admit();
    };
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      if (next.bytes > this.#freeBytes) return;
      this.#waiting.shift();
      this.#freeBytes -= next.bytes;
      next.enter();
    }
  }
}
