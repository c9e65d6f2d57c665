import type { Caller } from '../../contract/caller/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { nearest } from '../../kernel/index.ts';
import type { CallExecutor } from '../call-executor.ts';
import { UnknownNameError } from '../errors.ts';
import type { PromptRoute, ToolRoute } from './name-table.ts';
import type { ServerRegistry } from './server-registry.ts';
import { VisibleNames } from './visible-names.ts';

/** Finds the server behind a name. What a caller may not see does not exist for it. */
export class RouteFinder {
  readonly #registry: ServerRegistry;
  readonly #executor: CallExecutor;

  constructor(registry: ServerRegistry, executor: CallExecutor) {
    this.#registry = registry;
    this.#executor = executor;
  }

  /** Undefined for callers that see everything. */
  visibleTo(caller: Caller | undefined): VisibleNames | undefined {
    return caller?.scopes === undefined
      ? undefined
      : new VisibleNames(this.#registry.names, caller);
  }

  async tool(name: string, context: CallContext): Promise<ToolRoute> {
    const find = (): ToolRoute | undefined => this.#registry.names.toolRoutes.get(name);
    const route = await this.#find(name, context, find);
    if (!route) throw this.unknownTool(name, context.caller);
    return route;
  }

  unknownTool(name: string, caller: Caller): UnknownNameError {
    const names = this.visibleTo(caller) ?? this.#registry.names;
    return new UnknownNameError('tool', name, names.nearestTool(name));
  }

  async prompt(name: string, context: CallContext): Promise<PromptRoute> {
    const find = (): PromptRoute | undefined => this.#registry.names.promptRoutes.get(name);
    const route = await this.#find(name, context, find);
    const visible = this.visibleTo(context.caller);
    if (!route || visible?.hasServer(route.server) === false) {
      const routes = [...this.#registry.names.promptRoutes];
      const known = routes.filter(([, { server }]) => visible?.hasServer(server) !== false);
      const names = known.map(([one]) => one);
      throw new UnknownNameError('prompt', name, nearest(name, names));
    }
    return route;
  }

  /** Waits for the server in the name's prefix, and for all others only if it has no such entry. */
  async #find<Route>(
    name: string,
    context: CallContext,
    find: () => Route | undefined,
  ): Promise<Route | undefined> {
    const known = find();
    if (known) return known;
    const failure = await this.#learnOwner(name, context).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    context.signal.throwIfAborted();
    const learned = find();
    if (learned) return learned;
    await this.#registry.untilListed();
    const listed = find();
    if (!listed && failure) throw failure.error;
    return listed;
  }

  /** A server that was not listed in time may own the name: the call waits for its listing. */
  async #learnOwner(name: string, context: CallContext): Promise<void> {
    const { servers } = this.#registry;
    const owner = servers.find(({ listing, name: ownName, options }) => {
      const label = options.prefix ?? ownName;
      const isNamed = name.startsWith(`${label}.`) || name.startsWith(`${label}__`);
      return !listing && (isNamed || servers.length === 1);
    });
    if (!owner || this.visibleTo(context.caller)?.hasServer(owner) === false) return;
    const { timeoutMs } = owner.options;
    const what = `Listing server "${owner.name}"`;
    await this.#executor.limit({ what, timeoutMs }, context, (limited) => owner.learn(limited));
  }
}
