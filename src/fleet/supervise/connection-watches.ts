import type { Log } from '../../kernel/index.ts';
import type { Connection } from './connection.ts';
import type { ConnectionKeeper } from './connection-keeper.ts';

interface Watch {
  count: number;
  /** The connection it is watched on, and what comes of that: how to end it there. */
  on: Connection | undefined;
  watching: Promise<() => void>;
}

/** The resources somebody watches on a server; each watched once, and again on every fresh connection. */
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
        this.#log.warn('A resource could not be watched again', { uri, error });
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
      // Who watches it next tries again.
      if (watch.on === connection) watch.on = undefined;
      throw error;
    }
  }

  #remove(uri: string, watch: Watch): void {
    watch.count -= 1;
    if (watch.count > 0) return;
    this.#watches.delete(uri);
    // One that could not be made needs no end.
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
