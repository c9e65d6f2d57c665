interface WaitingCall {
  readonly client: string;
  readonly start: () => void;
}

/**
 * Schedules calls on a server whose requests do not say which call they belong to.
 *
 * 1. Calls of all clients run concurrently until the server sends its first request.
 * 2. From then on the calls of one client run at a time, so that a request is unambiguous.
 * 3. Waiting calls start in FIFO order.
 * 4. A client with a pending request does not block others: it may never answer.
 */
export class ClientScheduler {
  readonly #running = new Map<string, number>();
  /** Pending requests per client. */
  readonly #asked = new Map<string, number>();
  readonly #waiting: WaitingCall[] = [];
  readonly #watchers = new Set<() => void>();
  #isExclusive = false;

  get isExclusive(): boolean {
    return this.#isExclusive;
  }

  /** How many clients have calls running. */
  get clients(): number {
    return this.#running.size;
  }

  requireExclusive(): void {
    this.#isExclusive = true;
  }

  /** Marks the client as being asked until the returned function is called. */
  beginAsking(client: string): () => void {
    this.#asked.set(client, (this.#asked.get(client) ?? 0) + 1);
    this.#startNext();
    return () => {
      const left = (this.#asked.get(client) ?? 1) - 1;
      if (left > 0) this.#asked.set(client, left);
      else this.#asked.delete(client);
    };
  }

  /** Undefined when the call may start at once; otherwise await it. Rejects with the signal's reason. */
  enter(client: string, call: { readonly signal: AbortSignal }): Promise<void> | undefined {
    if (this.#mayStart(client)) {
      this.#count(client);
      return undefined;
    }
    const { signal } = call;
    return new Promise((resolve, reject) => {
      const waiting = {
        client,
        start: () => resolve(signal.removeEventListener('abort', onAbort)),
      };
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
      };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  leave(client: string): void {
    const left = (this.#running.get(client) ?? 1) - 1;
    if (left > 0) {
      this.#running.set(client, left);
      return;
    }
    this.#running.delete(client);
    if (this.#waiting.length > 0) this.#startNext();
    for (const watcher of this.#watchers) watcher();
  }

  /** Calls `watcher` whenever a client's last call ended, until the returned function is called. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #mayStart(client: string): boolean {
    if (!this.#isExclusive) return true;
    if (this.#waiting.length > 0) return false;
    return this.#isFreeFor(client);
  }

  /** Whether no other client has calls running, except clients that are being asked. */
  #isFreeFor(client: string | undefined): boolean {
    for (const other of this.#running.keys()) {
      if (other !== client && !this.#asked.has(other)) return false;
    }
    return true;
  }

  #count(client: string): void {
    this.#running.set(client, (this.#running.get(client) ?? 0) + 1);
  }

  /** Starts the oldest waiting call and those of the same client right behind it. */
  #startNext(): void {
    const client = this.#waiting[0]?.client;
    if (!this.#isFreeFor(client)) return;
    while (this.#waiting[0] && this.#waiting[0].client === client) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#count(next.client);
      next.start();
    }
  }
}
