import type { ServerLaunch } from '../contract/fleet/index.ts';
import type { Log, ProcessOwner } from '../kernel/index.ts';
import { statelessVersions, type Era } from '../protocol/index.ts';
import { HttpStatusError } from './errors.ts';
import type { Connection, ConnectRequest } from './supervise/connection.ts';
import type { ClientRoots } from './upstream/server-request-handler.ts';
import type { LinkListener, OpenLink } from './upstream/link.ts';
import type { RequestAuthorizer } from './upstream/links/http-caller.ts';

export interface UpstreamParts {
  readonly launch: ServerLaunch;
  /** Called only where a process is started. */
  readonly owner: () => ProcessOwner;
  /** Our `clientInfo`: `{ name, version }`. */
  readonly clientInfo: Readonly<Record<string, unknown>>;
  readonly clientRoots?: ClientRoots | undefined;
  /** Adds the token of the caller's login, where the entry has no credentials of its own. */
  readonly authorizer?: RequestAuthorizer | undefined;
  /** Redacts the entry's secrets, and text that looks like one, in the server's output. */
  readonly redact?: ((text: string) => string) | undefined;
  readonly log: Log;
}

/** Time limit of the handshake: a first `npx` run downloads a package in this time. */
const introductionMs = 60_000;
/** How servers that only support HTTP+SSE refuse Streamable HTTP. */
const olderWayStatuses: ReadonlySet<number> = new Set([400, 404, 405]);

/**
 * Connects to a configured server. The protocol client is imported here, so that it costs nothing without
 * configured servers. Where the entry does not name the HTTP transport, HTTP+SSE is tried after the server
 * refused Streamable HTTP.
 */
export async function openUpstream(
  request: ConnectRequest,
  parts: UpstreamParts,
): Promise<Connection> {
  const { authorizer, redact = (text) => text } = parts;
  if (!authorizer) return openHttpOrOlder(request, parts);
  const hideToken = (text: string): string => redact(authorizer.redact(text));
  return openHttpOrOlder(request, { ...parts, redact: hideToken });
}

async function openHttpOrOlder(request: ConnectRequest, parts: UpstreamParts): Promise<Connection> {
  const { launch } = parts;
  const { entry } = request;
  try {
    return await connectBy(await linkOpener(request, parts, launch), request, parts);
  } catch (error) {
    const mayBeOlder =
      launch.transport === 'http' && entry.settings.type === undefined && refusesNewerWay(error);
    if (!mayBeOlder) throw error;
    const older = { ...launch, transport: 'sse' } as const;
    try {
      return await connectBy(await linkOpener(request, parts, older), request, parts);
    } catch {
      request.signal.throwIfAborted();
      throw error;
    }
  }
}

async function connectBy(
  openLink: OpenLink,
  { entry, signal, knownProtocolVersion }: ConnectRequest,
  { clientInfo, clientRoots, redact, log }: UpstreamParts,
): Promise<Connection> {
  const { connectUpstream } = await import('./upstream/connect-upstream.ts');
  return connectUpstream({
    name: entry.name,
    openLink,
    knownEra: eraOf(knownProtocolVersion),
    timeoutMs: introductionMs,
    log,
    clientInfo,
    clientRoots,
    redact,
    signal,
  });
}

async function linkOpener(
  { entry, onStderr }: ConnectRequest,
  { owner, redact, authorizer }: UpstreamParts,
  launch: ServerLaunch,
): Promise<OpenLink> {
  const { name } = entry;
  if (launch.transport === 'stdio') {
    const { openStdioLink } = await import('./upstream/links/stdio-link.ts');
    const { command, args, cwd, env } = launch;
    const process = { command, args, cwd, env };
    return (listener: LinkListener) =>
      openStdioLink({ name, process, owner: owner(), onStderr, redact }, listener);
  }
  const { url, headers } = launch;
  const options = { name, url, headers, authorizer, onExcerpt: onStderr, redact };
  if (launch.transport === 'sse') {
    const { openSseLink } = await import('./upstream/links/sse-link.ts');
    return (listener: LinkListener) => openSseLink(options, listener);
  }
  const { openHttpLink } = await import('./upstream/links/http-link.ts');
  return (listener: LinkListener) => openHttpLink(options, listener);
}

function refusesNewerWay(error: unknown): boolean {
  const [own, cause] = [error, error instanceof Error ? error.cause : undefined];
  return [own, cause].some(
    (it) => it instanceof HttpStatusError && olderWayStatuses.has(it.status),
  );
}

function eraOf(version: string | undefined): Era | undefined {
  if (version === undefined) return undefined;
  const isStateless = statelessVersions.some((known) => known === version);
  return isStateless ? 'stateless' : 'handshake';
}
