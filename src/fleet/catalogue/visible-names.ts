import { isInScope, isServerInScope } from '../../contract/access/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import { nearest } from '../../kernel/index.ts';
import type { FleetServer } from './fleet-server.ts';
import type { NameTable } from './name-table.ts';

/**
 * What a caller sees of the name table: the tools in its scope, and the prompts and resources of servers that have one.
 * Everything else is answered like what does not exist, suggestions included.
 */
export class VisibleNames {
  readonly #names: NameTable;
  readonly #caller: Caller;
  readonly #servers = new Map<FleetServer, boolean>();

  constructor(names: NameTable, caller: Caller) {
    this.#names = names;
    this.#caller = caller;
  }

  get entries(): readonly CatalogueEntry[] {
    return this.#names.entries.filter((entry) => this.hasTool(entry));
  }

  hasTool({ name }: CatalogueEntry): boolean {
    return isInScope(this.#caller, name);
  }

  readonly hasServer = (server: FleetServer): boolean => {
    const known = this.#servers.get(server);
    if (known !== undefined) return known;
    const tools = this.#names.entries.filter((entry) => entry.server === server.name);
    const isSeen =
      tools.length === 0
        ? isServerInScope(this.#caller, server.options.prefix ?? server.name)
        : tools.some((entry) => this.hasTool(entry));
    this.#servers.set(server, isSeen);
    return isSeen;
  };

  /** Those of the items whose route leads to a server that is seen. */
  ofServers<Item>(
    items: readonly Item[],
    routes: ReadonlyMap<string, { readonly server: FleetServer }>,
    nameOf: (item: Item) => string,
  ): readonly Item[] {
    return items.filter((item) => {
      const route = routes.get(nameOf(item));
      return route !== undefined && this.hasServer(route.server);
    });
  }

  nearestTool(name: string): string | undefined {
    const wireNames = new Map(
      this.entries.flatMap(({ wireName, name: dotted, tool }) =>
        [tool.name, dotted, wireName].map((written) => [written, wireName] as const),
      ),
    );
    return wireNames.get(nearest(name, wireNames.keys()) ?? '');
  }
}
