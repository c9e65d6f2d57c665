import type { ServerChange } from '../../contract/server/index.ts';
import { reportError, type Log, type Timers } from '../../kernel/index.ts';
import type { ListKind } from './listing.ts';
import type { FleetServer, FleetServerListener } from './fleet-server.ts';
import { NameTable } from './name-table.ts';

/** Servers that change together, as at a start, are announced together. */
const announcePauseMs = 20;

export interface RegistryOptions {
  readonly enabledTools: readonly string[];
  readonly timers: Timers;
  readonly log: Log;
}

/**
 * The members in their order, the table of what they offer, and who wants to know when it changes.
 *
 * 1. The table is built when it is asked for after a change, never per call.
 * 2. A list is announced as changed only if somebody has seen it and would see another one now.
 */
export class ServerRegistry implements FleetServerListener {
  readonly #options: RegistryOptions;
  readonly #listeners = new Set<(change: ServerChange) => void>();
  /** What was shown first, or announced last. */
  readonly #seen = new Map<ListKind, readonly unknown[]>();
  readonly #onReplaced = new Set<() => void>();
  #servers: readonly FleetServer[] = [];
  #names: NameTable | undefined;
  #isAnnouncing = false;

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  get servers(): readonly FleetServer[] {
    return this.#servers;
  }

  get names(): NameTable {
    this.#names ??= new NameTable(this.#servers, this.#options.enabledTools);
    return this.#names;
  }

  /** Once lists were shown, what joins is asked for its offer at once: nobody else would. */
  replace(servers: readonly FleetServer[]): void {
    this.#servers = servers;
    if (this.#seen.size > 0) for (const server of servers) void server.untilListed();
    this.onListed();
    for (const listener of this.#onReplaced) listener();
  }

  /** Calls `listener` whenever other members are in place. */
  onReplaced(listener: () => void): void {
    this.#onReplaced.add(listener);
  }

  /** Waits until every member's offer is known, as long as each member says. */
  async untilListed(): Promise<void> {
    const waits = this.#servers.flatMap((server) => server.untilListed() ?? []);
    if (waits.length > 0) await Promise.all(waits);
  }

  /** The lists of a kind as they are now; from here on, their changes are announced. */
  show<Item>(kind: ListKind, listsOf: (names: NameTable) => readonly Item[]): readonly Item[] {
    // Others may have seen an older one and are still to be told: that one stays the measure.
    if (!this.#seen.has(kind)) this.#seen.set(kind, shownOf(kind, this.names));
    return listsOf(this.names);
  }

  onListed(): void {
    this.#names = undefined;
    if (this.#isAnnouncing || this.#seen.size === 0) return;
    this.#isAnnouncing = true;
    this.#options.timers.after(announcePauseMs, () => {
      this.#isAnnouncing = false;
      this.#announce();
    });
  }

  onChange(change: ServerChange, server: FleetServer): void {
    const { names } = this;
    if (change.kind === 'resource') {
      this.#tell({ ...change, uri: names.outerAddress(server, change.uri) });
    } else this.#tell(change);
  }

  #tell(change: ServerChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#options.log.error('A listener failed', { reason: reportError(error).message });
      }
    }
  }

  subscribe(listener: (change: ServerChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #announce(): void {
    for (const [kind, before] of this.#seen) {
      const after = shownOf(kind, this.names);
      if (JSON.stringify(before) === JSON.stringify(after)) continue;
      this.#seen.set(kind, after);
      this.#tell({ kind });
    }
  }
}

function shownOf(kind: ListKind, names: NameTable): readonly unknown[] {
  switch (kind) {
    case 'tools':
      return names.tools;
    case 'prompts':
      return names.prompts;
    case 'resources':
      return [names.resources, names.templates];
  }
}
