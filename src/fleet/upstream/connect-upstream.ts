import { systemClock, type Clock, type Log } from '../../kernel/index.ts';
import type { Era, Params } from '../../protocol/index.ts';
import type { ClientRoots } from './server-request-handler.ts';
import { handshakeDialect } from './dialect.ts';
import { NegotiationError, UpstreamError } from './errors.ts';
import type { OpenLink } from './link.ts';
import type { Redact } from './links/excerpt.ts';
import { negotiate, type Negotiated } from './negotiate.ts';
import { ProblemCounts } from './problem-counts.ts';
import { UpstreamConnection } from './upstream-connection.ts';
import { UpstreamServer } from './upstream-server.ts';

export interface ConnectOptions {
  readonly name: string;
  readonly openLink: OpenLink;
  /** The era it spoke last time (`negotiated.era`): saves a probe. A wrong one costs a round trip. */
  readonly knownEra?: Era | undefined;
  /** Time limit of the handshake once the link is open. */
  readonly timeoutMs: number;
  readonly log: Log;
  /** Our `{ name, version }`. */
  readonly clientInfo: Params;
  readonly redact?: Redact | undefined;
  readonly clientRoots?: ClientRoots | undefined;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/**
 * Opens a link to a server and negotiates. A server that exits on the probe (some do on any request before
 * `initialize`) is opened once more with `initialize` only. Rejects with an `AppError` when the link or the
 * negotiation fails; nothing is left open then.
 */
export async function connectUpstream(options: ConnectOptions): Promise<UpstreamServer> {
  const problems = new ProblemCounts();
  const logLevel = { value: undefined };
  const attempt = { options, problems, logLevel };
  const first = await contact({ ...attempt, isProbeFatal: false });
  const reached = first === 'ended' ? await contact({ ...attempt, isProbeFatal: true }) : first;
  if (reached === 'ended') {
    throw new NegotiationError(options.name, 'the connection ended during the handshake');
  }
  const { name, clientInfo, clientRoots, log } = options;
  const clock = options.clock ?? systemClock;
  return new UpstreamServer({
    ...reached,
    name,
    problems,
    clientInfo,
    logLevel,
    clientRoots,
    clock,
    log,
  });
}

interface Attempt {
  readonly options: ConnectOptions;
  readonly problems: ProblemCounts;
  readonly logLevel: { readonly value: string | undefined };
  readonly isProbeFatal: boolean;
}

interface Contact {
  readonly connection: UpstreamConnection;
  readonly negotiated: Negotiated;
}

/** `ended` when the server exited on the probe. */
async function contact(attempt: Attempt): Promise<Contact | 'ended'> {
  const { options, problems, logLevel, isProbeFatal } = attempt;
  const { name, knownEra, clientInfo, redact, clock = systemClock } = options;
  const signal = options.signal ?? new AbortController().signal;
  const connection = new UpstreamConnection(
    { server: name, problems, clock, redact },
    handshakeDialect,
  );
  connection.attach(await options.openLink(connection));
  try {
    const negotiated = await negotiate(connection, {
      server: name,
      clientInfo,
      knownEra,
      isProbeFatal,
      logLevel: () => logLevel.value,
      limitMs: options.timeoutMs,
      signal,
    });
    return { connection, negotiated };
  } catch (error) {
    const endedOnProbe = connection.end !== undefined && knownEra !== 'handshake' && !isProbeFatal;
    await connection.close();
    signal.throwIfAborted();
    if (endedOnProbe) return 'ended';
    if (!(error instanceof UpstreamError)) throw error;
    throw new NegotiationError(name, `it refused initialize: ${error.rpc.message}`, error);
  }
}
