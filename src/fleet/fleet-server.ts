import type { McpServer } from '../contract/server/index.ts';
import { reportError, type Log } from '../kernel/index.ts';

/** A server that can be opened: what compose hands to the fleet. */
export interface ServerEntry {
  readonly name: string;
  readonly open: () => Promise<McpServer>;
}

/** One server of the fleet: opened once, when first needed; a failed opening is tried again next time. */
export class FleetServer {
  readonly name: string;
  readonly #entry: ServerEntry;
  readonly #log: Log;
  #opened: Promise<McpServer> | undefined;
  #listingFailure: string | undefined;

  constructor(entry: ServerEntry, log: Log) {
    this.name = entry.name;
    this.#entry = entry;
    this.#log = log.child({ server: entry.name });
  }

  /** Why the latest listing left this server out; `undefined` when it did not. */
  get listingFailure(): string | undefined {
    return this.#listingFailure;
  }

  open(): Promise<McpServer> {
    this.#opened ??= this.#entry.open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  /** What `list` gives, or nothing when this server cannot be opened: it must not hide the others. */
  async listOrNothing<Item>(
    list: (server: McpServer) => Promise<readonly Item[]>,
  ): Promise<readonly Item[]> {
    try {
      const items = await list(await this.open());
      this.#listingFailure = undefined;
      return items;
    } catch (error) {
      this.#listingFailure = reportError(error).message;
      this.#log.error('A server could not be listed and is left out', { error });
      return [];
    }
  }

  async close(): Promise<void> {
    const server = await this.#opened?.catch(() => undefined);
    await server?.close();
  }
}
