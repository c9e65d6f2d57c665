import { isOwnAddress } from '../../contract/resource/index.ts';
import { AppError } from '../../kernel/index.ts';
import { rpcErrorCode } from '../../protocol/index.ts';
import { UpstreamError } from '../upstream/errors.ts';
import { fitsTemplate } from './matches-glob.ts';
import type { FleetServer } from './fleet-server.ts';
import type { ServerRegistry } from './server-registry.ts';

/** The server that lists a resource, with its own uri; or several candidates. */
export type ResourceRoute =
  | { readonly kind: 'listed'; readonly server: FleetServer; readonly uri: string }
  | { readonly kind: 'perhaps'; readonly servers: readonly FleetServer[] };

/** Servers that are not seen are passed over, as if they were not there. */
export function routeResource(
  registry: ServerRegistry,
  uri: string,
  isSeen: (server: FleetServer) => boolean = () => true,
): ResourceRoute {
  const { resourceRoutes, templateRoutes, addressPrefixes } = registry.names;
  const listed = resourceRoutes.get(uri);
  if (listed && isSeen(listed.server)) return { kind: 'listed', ...listed };
  for (const [prefix, server] of addressPrefixes) {
    if (uri.startsWith(prefix) && isSeen(server))
      return { kind: 'listed', server, uri: uri.slice(prefix.length) };
  }
  const seen = registry.servers.filter(isSeen);
  const own = seen.filter(({ options }) => options.source === 'built-in');
  if (own.length > 0 && isOwnAddress(uri)) return { kind: 'perhaps', servers: own };
  const fitting = [...templateRoutes].flatMap(([template, { server }]) =>
    fitsTemplate(template, uri) && isSeen(server) ? [server] : [],
  );
  // Servers may have unlisted resources; one that lists none at all is not started.
  const others = seen.filter(({ listing }) => {
    return listing === undefined || listing.resources.length + listing.templates.length > 0;
  });
  return { kind: 'perhaps', servers: [...new Set([...fitting, ...others])] };
}

/** Error codes for an unknown resource. */
const rpcNotFound: ReadonlySet<number> = new Set([
  -32_002,
  rpcErrorCode.invalidParams,
  rpcErrorCode.methodNotFound,
]);

/**
 * The result of the first server that has the resource; `undefined` where none has it. A failing server does
 * not hide the others: its failure is thrown only if they do not have the resource either. A not-found error
 * of a configured server is rethrown unchanged.
 */
export async function firstAnswer<Result>(
  servers: readonly FleetServer[],
  ask: (server: FleetServer) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  let failure: { readonly error: unknown } | undefined;
  let refusal: UpstreamError | undefined;
  for (const server of servers) {
    try {
      return await ask(server);
    } catch (error) {
      signal.throwIfAborted();
      if (!isNotFound(error)) failure ??= { error };
      else if (error instanceof UpstreamError && error.rpc.code !== rpcErrorCode.methodNotFound) {
        refusal ??= error;
      }
    }
  }
  if (failure) throw failure.error;
  if (refusal) throw refusal;
  return undefined;
}

function isNotFound(error: unknown): boolean {
  return error instanceof UpstreamError
    ? rpcNotFound.has(error.rpc.code)
    : error instanceof AppError && error.code.endsWith('.not_found');
}
