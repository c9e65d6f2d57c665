import { SignalAbort, withTimeLimit } from '../../kernel/index.ts';
import {
  findHandshakeVersion,
  handshakeVersions,
  isRecord,
  metaKey,
  metaOf,
  newestHandshakeVersion,
  rpcErrorCode,
  type Era,
  type Params,
} from '../../protocol/index.ts';
import { handshakeDialect, statelessDialect, statelessVersion } from './dialect.ts';
import { NegotiationError, ServerUnavailableError, UpstreamError } from './errors.ts';
import type { UpstreamConnection } from './upstream-connection.ts';
import { upstreamLimits } from './upstream-limits.ts';

/** The outcome of the negotiation. */
export interface Negotiated {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly serverInfo: ServerInfo;
  readonly capabilities: Params;
  readonly instructions: string | undefined;
}

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
}

export interface NegotiateOptions {
  readonly server: string;
  readonly clientInfo: Params;
  /** The era it spoke last time; saves the probe. */
  readonly knownEra?: Era | undefined;
  /** True when it exited on the probe before: then only `initialize` is sent. */
  readonly isProbeFatal?: boolean;
  readonly logLevel: () => string | undefined;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** What we declare: each client is asked only within its own capabilities. */
const ownCapabilities: Params = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: { listChanged: true },
};

/**
 * Negotiates the era and version, as the 2026-07-28 specification defines for clients of both eras:
 * `server/discover` first, on the same connection; a refusal or a timeout means an older server, which gets
 * `initialize`. A server known to be of the handshake era gets `initialize` at once, and is probed only if it
 * refuses.
 */
export function negotiate(
  connection: UpstreamConnection,
  options: NegotiateOptions,
): Promise<Negotiated> {
  const limit = {
    what: `The handshake with server "${options.server}"`,
    limitMs: options.limitMs,
    signal: options.signal,
  };
  return withTimeLimit(limit, (signal) => {
    if (options.isProbeFatal) return initialize(connection, options, signal);
    if (options.knownEra === 'handshake') return initializeFirst(connection, options, signal);
    return discoverFirst(connection, options, signal);
  });
}

async function initializeFirst(
  connection: UpstreamConnection,
  options: NegotiateOptions,
  signal: AbortSignal,
): Promise<Negotiated> {
  try {
    return await initialize(connection, options, signal);
  } catch (refusal) {
    if (signal.aborted || connection.end) throw refusal;
    return discover(connection, options, signal).catch(() => Promise.reject(refusal));
  }
}

async function discoverFirst(
  connection: UpstreamConnection,
  options: NegotiateOptions,
  signal: AbortSignal,
): Promise<Negotiated> {
  const probing = discover(connection, options, signal);
  const probed = await settledWithin(
    probing,
    Math.min(upstreamLimits.probeMs, options.limitMs / 2),
  );
  if (probed) return probed;
  if (connection.end) return probing;
  const initializing = initialize(connection, options, signal);
  // A slow server of both eras answers both. Since `initialize` was sent last, its answer counts;
  // a late answer to the probe is used only when no other comes.
  const lateProbe = probing.then(async (negotiated) => {
    await settledWithin(initializing, upstreamLimits.probeMs);
    speakStateless(connection, options);
    return negotiated;
  });
  try {
    return await Promise.any([initializing, lateProbe]);
  } catch {
    return initializing;
  }
}

/** The value of a promise; undefined when it rejects or takes longer than the limit. */
async function settledWithin<Result>(
  work: Promise<Result>,
  limitMs: number,
): Promise<Result | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), limitMs);
  try {
    return await Promise.race([work.catch(() => undefined), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function speakStateless(connection: UpstreamConnection, options: NegotiateOptions): void {
  const { clientInfo, logLevel } = options;
  connection.speak(statelessDialect({ clientInfo, logLevel }));
}

async function discover(
  connection: UpstreamConnection,
  options: NegotiateOptions,
  signal: AbortSignal,
): Promise<Negotiated> {
  speakStateless(connection, options);
  const result = await connection.request(
    { method: 'server/discover', members: [] },
    { abort: new SignalAbort(signal), lost: lostContact(options.server), isUncancellable: true },
  );
  const { supportedVersions, capabilities, instructions } = result;
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(statelessVersion)) {
    throw new NegotiationError(options.server, `it does not speak MCP ${statelessVersion}`);
  }
  return {
    era: 'stateless',
    protocolVersion: statelessVersion,
    serverInfo: readServerInfo(metaOf(result)[metaKey.serverInfo], options.server),
    capabilities: isRecord(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

/** Also used to open a new session on the same link when the old one has expired. */
export async function initialize(
  connection: UpstreamConnection,
  options: Pick<NegotiateOptions, 'server' | 'clientInfo'>,
  signal: AbortSignal,
): Promise<Negotiated> {
  connection.speak(handshakeDialect);
  const result = await requestInitialize(connection, options, signal);
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  const version = findHandshakeVersion(protocolVersion);
  if (version === undefined) {
    throw new NegotiationError(
      options.server,
      `it speaks MCP ${JSON.stringify(protocolVersion)}, and Tutti ${statelessVersion}, ${handshakeVersions.join(', ')}`,
    );
  }
  connection.completeHandshake(version);
  return {
    era: 'handshake',
    protocolVersion: version,
    serverInfo: readServerInfo(serverInfo, options.server),
    capabilities: isRecord(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

/** Offers our newest version, then one that the server names in its refusal. */
async function requestInitialize(
  connection: UpstreamConnection,
  { server, clientInfo }: Pick<NegotiateOptions, 'server' | 'clientInfo'>,
  signal: AbortSignal,
): Promise<Params> {
  const offer = (version: string): Promise<Params> =>
    connection.request(
      {
        method: 'initialize',
        members: [
          ['protocolVersion', JSON.stringify(version)],
          ['capabilities', JSON.stringify(ownCapabilities)],
          ['clientInfo', JSON.stringify(clientInfo)],
        ],
      },
      { abort: new SignalAbort(signal), lost: lostContact(server), isUncancellable: true },
    );
  try {
    return await offer(newestHandshakeVersion);
  } catch (error) {
    const other = error instanceof UpstreamError ? supportedVersion(error) : undefined;
    if (other === undefined) throw error;
    return offer(other);
  }
}

function supportedVersion({ rpc }: UpstreamError): string | undefined {
  const isAboutVersion =
    rpc.code === rpcErrorCode.invalidParams || rpc.code === rpcErrorCode.unsupportedVersion;
  if (!isAboutVersion || !isRecord(rpc.data)) return undefined;
  const { supported } = rpc.data;
  if (!Array.isArray(supported)) return undefined;
  return handshakeVersions.find((version) => supported.includes(version));
}

function lostContact(server: string): (reason: string, cause?: unknown) => Error {
  return (reason, cause) => new ServerUnavailableError(server, reason, cause);
}

function readServerInfo(value: unknown, fallback: string): ServerInfo {
  const info = isRecord(value) ? value : {};
  const { name, version, title } = info;
  return {
    name: typeof name === 'string' ? name : fallback,
    version: typeof version === 'string' ? version : 'unknown',
    ...(typeof title === 'string' ? { title } : {}),
  };
}
