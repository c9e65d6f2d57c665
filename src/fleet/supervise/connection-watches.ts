import type { Log } from '../../kernel/index.ts';
import type { Connection } from './connection.ts';
import type { ConnectionKeeper } from './connection-keeper.ts';

interface Watch {
  count: number;
  /** The connection it is watched on, and the pending subscription, which resolves to its end. */
  on: Connection | undefined;
  watching: Promise<() => void>;
}

/** Watched resources of a server: each is watched once, and again on every new connection. */
export class ConnectionWatches {
  readonly #keeper: ConnectionKeeper;
  readonly #log: Log;
  readonly #watches = new Map<string, Watch>();

  constructor(keeper: ConnectionKeeper, log: Log) {
    this.#keeper = keeper;
    this.#log = log;
  }

  /** Holds the connection, so that the server is not stopped as idle, until the returned function is called. */
  async add(uri: string, signal: AbortSignal): Promise<() => void> {
    const watch = this.#watches.get(uri) ?? aWatch();
    watch.count += 1;
    this.#watches.set(uri, watch);
    this.#keeper.hold();
    let isRemoved = false;
    const remove = (): void => {
      if (isRemoved) return;
      isRemoved = true;
      this.#keeper.release();
      this.#remove(uri, watch);
    };
    try {
      await this.#watchOn(await this.#keeper.acquire(signal), uri, watch);
    } catch (error) {
      remove();
      throw error;
    }
    return remove;
  }

  renew(connection: Connection): void {
    for (const [uri, watch] of this.#watches) {
      this.#watchOn(connection, uri, watch).catch((error: unknown) => {
        this.#log.warn('failed to restore resource watch', { uri, error });
      });
    }
  }

  async #watchOn(connection: Connection, uri: string, watch: Watch): Promise<void> {
    if (watch.on !== connection) {
      watch.on = connection;
      watch.watching = watchOnce(connection, uri);
    }
    try {
      await watch.watching;
    } catch (error) {
      // The next watcher retries.
      if (watch.on === connection) watch.on = undefined;
      throw error;
    }
  }

  #remove(uri: string, watch: Watch): void {
    watch.count -= 1;
    if (watch.count > 0) return;
    this.#watches.delete(uri);
    // A failed watch has nothing to end.
    watch.watching.then(
      (stop) => stop(),
      () => {},
    );
  }
}

function aWatch(): Watch {
  return { count: 0, on: undefined, watching: Promise.resolve(() => {}) };
}

async function watchOnce(connection: Connection, uri: string): Promise<() => void> {
  return (await connection.watchResource?.(uri)) ?? (() => {});
}
