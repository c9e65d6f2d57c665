/** Every limit of the HTTP gateway, by name and unit. */
export interface HttpLimits {
  /** The largest request body. */
  readonly maxRequestBytes: number;
  readonly maxConnections: number;
  /** Of one address, which may be that of a proxy. */
  readonly maxConnectionsPerAddress: number;
  /** Sessions of the handshake era and open `/sse` streams, each. */
  readonly maxSessions: number;
  /** A session nobody used for so long is forgotten; its client starts another. */
  readonly sessionIdleMs: number;
  /** Requests of the stateless era that run at once, of all clients: they are not told apart. */
  readonly maxStatelessRequests: number;
  /** Open `subscriptions/listen` requests. */
  readonly maxSubscriptions: number;
  readonly headersTimeoutMs: number;
  /** How long a client may take to send one whole request. */
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How often the three timeouts above are looked at, and idle sessions with them. */
  readonly checkEveryMs: number;
  /** Silent streams carry a comment so often that proxies keep them. */
  readonly streamHeartbeatMs: number;
  /** A stream whose client left so much unread is ended. */
  readonly maxStreamBacklogBytes: number;
  /** How long `close()` waits for requests that still run. */
  readonly closeLimitMs: number;
}

export const defaultHttpLimits: HttpLimits = {
  maxRequestBytes: 4 * 1024 * 1024,
  maxConnections: 2_000,
  maxConnectionsPerAddress: 1_500,
  maxSessions: 1_000,
  sessionIdleMs: 30 * 60_000,
  maxStatelessRequests: 1_000,
  maxSubscriptions: 1_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 30_000,
  checkEveryMs: 5_000,
  streamHeartbeatMs: 15_000,
  maxStreamBacklogBytes: 16 * 1024 * 1024,
  closeLimitMs: 5_000,
};
