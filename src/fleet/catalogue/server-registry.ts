import type { ServerChange } from '../../contract/server/index.ts';
import { reportError, type Log, type Timers } from '../../kernel/index.ts';
import type { ListKind } from './listing.ts';
import type { FleetServer, FleetServerListener } from './fleet-server.ts';
import { NameTable } from './name-table.ts';

/** Changes within this time, as at a start, are announced together. */
const announcePauseMs = 20;

export interface RegistryOptions {
  readonly enabledTools: readonly string[];
  readonly timers: Timers;
  readonly log: Log;
}

/** An entry that the user switched off. */
export interface DisabledServer {
  readonly name: string;
  /** In front of the names of its tools. */
  readonly label: string;
}

/**
 * The servers in their order, the table of what they offer, and the listeners to its changes.
 *
 * 1. The table is rebuilt on first use after a change, never per call.
 * 2. A list is announced as changed only after it was shown, and only if it differs now.
 */
export class ServerRegistry implements FleetServerListener {
  readonly #options: RegistryOptions;
  readonly #listeners = new Set<(change: ServerChange) => void>();
  /** The lists as first shown or last announced. */
  readonly #seen = new Map<ListKind, readonly unknown[]>();
  readonly #onReplaced = new Set<() => void>();
  #servers: readonly FleetServer[] = [];
  #disabled: readonly DisabledServer[] = [];
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

  /** Once lists were shown, new servers are listed at once, so that their tools are announced. */
  replace(servers: readonly FleetServer[], disabled: readonly DisabledServer[] = []): void {
    this.#servers = servers;
    this.#disabled = disabled;
    if (this.#seen.size > 0) for (const server of servers) void server.untilListed();
    this.onListed();
    for (const listener of this.#onReplaced) listener();
  }

  isDisabled(server: string): boolean {
    return this.#disabled.some(({ name }) => name === server);
  }

  /** The disabled server in front of a tool's name. */
  disabledOwner(tool: string): string | undefined {
    return this.#disabled.find(
      ({ label }) => tool.startsWith(`${label}.`) || tool.startsWith(`${label}__`),
    )?.name;
  }

  /** Calls `listener` whenever the servers were replaced. */
  onReplaced(listener: () => void): void {
    this.#onReplaced.add(listener);
  }

  /** Waits for every server's listing, within each server's own limit. */
  async untilListed(): Promise<void> {
    const waits = this.#servers.flatMap((server) => server.untilListed() ?? []);
    if (waits.length > 0) await Promise.all(waits);
  }

  /** The current lists of a kind; from here on, changes to them are announced. */
  show<Item>(kind: ListKind, listsOf: (names: NameTable) => readonly Item[]): readonly Item[] {
    // An earlier caller may have seen an older list: changes are measured against that one.
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
        this.#options.log.error('change listener threw', { reason: reportError(error).message });
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
