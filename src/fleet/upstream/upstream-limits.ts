/** How long what Tutti itself asks of a server may take. The time of tool calls is limited by who calls. */
export const upstreamLimits = {
  /** How long a server may leave `server/discover` unanswered before it is greeted the older way. */
  probeMs: 5_000,
  listMs: 30_000,
  pingMs: 10_000,
  /** How long a server may take to confirm a subscription or a log level. */
  controlMs: 10_000,
  maxPages: 200,
  maxListItems: 10_000,
  maxListBytes: 32 * 1024 * 1024,
  maxNameLength: 1_000,
  maxToolBytes: 512 * 1024,
  /** How long a question of the server waits until it is clear whose call it belongs to. */
  holdMs: 30_000,
  /** For so long after the handshake many servers ask for roots of their own accord, in no call. */
  settlingMs: 3_000,
  /** Questions of one server that may be open at once. */
  maxAsks: 64,
  /** How often one call may come back with questions. */
  maxInputRounds: 10,
  /** The pause before a call is repeated that asked for nothing but to come back. */
  returnPauseMs: 250,
  /** Pauses before a subscription that ended is opened again: the first, and the longest. */
  listenPauseMs: 1_000,
  maxListenPauseMs: 60_000,
  /** Calls without an answer that nobody waits for, and tasks: with more, no question can be told to be a running call's. */
  maxOrphaned: 10_000,
  /** Ids of requests nobody waits for any more, remembered so that their late answers are no surprise. */
  maxForgotten: 1_000,
} as const;
