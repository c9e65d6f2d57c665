import { withTimeLimit, type Log } from '../../kernel/index.ts';
import { UnknownNameError } from '../errors.ts';
import type { FleetServer } from './fleet-server.ts';
import type { ServerRegistry } from './server-registry.ts';
import { routeResource } from './route-resource.ts';

interface Watch {
  readonly uri: string;
  readonly isSeen: (server: FleetServer) => boolean;
  /** The server it is watched on, and how to end the watch. */
  server: FleetServer | undefined;
  stop: () => void;
  isOver: boolean;
}

/** How long a server may take to begin watching a resource. */
const watchLimitMs = 30_000;

/** The resources that clients watch. When a server is replaced, watches move to the new one. */
export class CatalogueWatches {
  readonly #registry: ServerRegistry;
  readonly #log: Log;
  readonly #watches = new Set<Watch>();

  constructor(registry: ServerRegistry, log: Log) {
    this.#registry = registry;
    this.#log = log;
  }

  /** Watches until the returned function is called. Throws `fleet.not_found`, or the failure of the server. */
  async add(
    uri: string,
    isSeen: (server: FleetServer) => boolean = () => true,
  ): Promise<() => void> {
    const watch: Watch = { uri, isSeen, server: undefined, stop: () => {}, isOver: false };
    await this.#begin(watch);
    this.#watches.add(watch);
    // The server may have been replaced meanwhile.
    this.follow();
    return () => {
      this.#watches.delete(watch);
      end(watch);
    };
  }

  /** Moves the watches of servers that left. */
  follow(): void {
    for (const watch of this.#watches) {
      if (this.#isInPlace(watch)) continue;
      this.#begin(watch).catch((error: unknown) => {
        this.#log.warn('failed to restore resource watch', { uri: watch.uri, error });
      });
    }
  }

  #isInPlace({ server }: Watch): boolean {
    return server !== undefined && this.#registry.servers.includes(server);
  }

  async #begin(watch: Watch): Promise<void> {
    const { uri, isSeen } = watch;
    await this.#registry.untilListed();
    if (watch.isOver || this.#isInPlace(watch)) return;
    const route = routeResource(this.#registry, uri, isSeen);
    const isListed = route.kind === 'listed';
    const server = isListed ? route.server : route.servers[0];
    const innerUri = isListed ? route.uri : uri;
    if (!server) throw new UnknownNameError('resource', uri);
    watch.server = server;
    const { signal } = new AbortController();
    const limit = { what: `Watching ${uri}`, limitMs: watchLimitMs, signal };
    await withTimeLimit(limit, async (limited) => {
      const stop = await server.runner.watchResource(innerUri, limited);
      const isWanted = !limited.aborted && !watch.isOver && watch.server === server;
      if (isWanted) watch.stop = stop;
      else stop();
    });
  }
}

function end(watch: Watch): void {
  if (watch.isOver) return;
  watch.isOver = true;
  watch.stop();
}
