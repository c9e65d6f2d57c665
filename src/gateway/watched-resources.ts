import type { Caller } from '../contract/caller/index.ts';
import type { McpServer } from '../contract/server/index.ts';
import { reportError, type Log } from '../kernel/index.ts';

/** The resources one client is subscribed to, watched on the server for that long. */
export class WatchedResources {
  readonly #server: McpServer;
  readonly #caller: Caller;
  readonly #log: Log;
  /** By uri, with the function that ends the watch. */
  readonly #watched = new Map<string, () => void>();

  constructor({ server, log }: { readonly server: McpServer; readonly log: Log }, caller: Caller) {
    this.#server = server;
    this.#caller = caller;
    this.#log = log;
  }

  get size(): number {
    return this.#watched.size;
  }

  has(uri: string): boolean {
    return this.#watched.has(uri);
  }

  /** Resolves when the server watches the resource, or failed to: then only its unsolicited updates arrive. */
  async add(uri: string): Promise<void> {
    if (this.#watched.has(uri)) return;
    let isWanted = true;
    let stop: (() => void) | undefined;
    this.#watched.set(uri, () => {
      isWanted = false;
      stop?.();
    });
    try {
      stop = await this.#server.watchResource?.(uri, this.#caller);
      if (!isWanted) stop?.();
    } catch (error) {
      // It may be one that the caller does not see, whose updates it must not get either.
      if (this.#caller.scopes !== undefined) this.#watched.delete(uri);
      this.#log.warn('failed to watch resource', { uri, reason: reportError(error).message });
    }
  }

  remove(uri: string): void {
    this.#watched.get(uri)?.();
    this.#watched.delete(uri);
  }

  clear(): void {
    for (const stop of this.#watched.values()) stop();
    this.#watched.clear();
  }
}
