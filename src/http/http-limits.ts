/** Every limit of the listener, by name and unit. */
export interface HttpLimits {
  /** The largest request body. */
  readonly maxRequestBytes: number;
  readonly maxConnections: number;
  /** From one address, which may be a proxy. */
  readonly maxConnectionsPerAddress: number;
  readonly headersTimeoutMs: number;
  /** How long a client may take to send one whole request. */
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How long a client may leave a response unread. */
  readonly readerStallMs: number;
  /** How often the three timeouts above are checked. */
  readonly checkEveryMs: number;
  /** Interval of the comments that keep proxies from closing a silent stream. */
  readonly streamHeartbeatMs: number;
  /** Unread bytes after which a stream is closed. */
  readonly maxStreamBacklogBytes: number;
  /** How long `close()` waits for requests that still run. */
  readonly closeLimitMs: number;
}

export const defaultHttpLimits: HttpLimits = {
  maxRequestBytes: 4 * 1024 * 1024,
  maxConnections: 2_000,
  maxConnectionsPerAddress: 1_500,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 30_000,
  readerStallMs: 60_000,
  checkEveryMs: 5_000,
  streamHeartbeatMs: 15_000,
  maxStreamBacklogBytes: 16 * 1024 * 1024,
  closeLimitMs: 5_000,
};
