/** What the instances that serve one client session tell each other about it. */
export type ClientSessionFact =
  /** Nothing is served under it any more. */
  | { readonly kind: 'ended' }
  /** The least severe level of log messages it gets. */
  | { readonly kind: 'log-level'; readonly level: string }
  | { readonly kind: 'watch' | 'unwatch'; readonly uri: string }
  /** A message of its client for whichever instance waits for it, sealed. Forgotten after `messageKeepMs`. */
  | { readonly kind: 'message'; readonly text: string };

export interface RecordedFact {
  readonly sessionId: string;
  /** The instance that recorded it. */
  readonly instance: string;
  /** When the session expires, and what is stored of it with it. */
  readonly expiresAtMs: number;
  readonly fact: ClientSessionFact;
}

/** How long a message waits for its instance. */
export const messageKeepMs = 60_000;

/**
 * Facts about sessions of MCP clients, shared by all instances. A session without facts has no row.
 *
 * 1. `factsOf` returns what still holds: the last level, the resources watched, and just `ended` once it has ended.
 * 2. `factsAfter` skips no fact that still holds and was recorded later than the cursor was made, in whatever order
 *    instances record.
 * 3. Nothing can be recorded of a session that has ended.
 */
export interface ClientSessionStore {
  /** Resolves when the fact survives the death of every process. */
  record(fact: RecordedFact): Promise<void>;
  factsOf(sessionId: string): Promise<readonly ClientSessionFact[]>;
  /** At most `limit`, oldest first, with the cursor behind them; just a cursor behind all when `after` is undefined. */
  factsAfter(
    after: string | undefined,
    limit: number,
  ): Promise<{ readonly facts: readonly RecordedFact[]; readonly cursor: string }>;
}
