/** Limits of Tutti's own requests to a server; callers limit the time of their calls. */
export const upstreamLimits = {
  /** How long `server/discover` may stay unanswered before `initialize` is sent. */
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
  /** How long an ambiguous request of the server is held until it belongs to one client. */
  holdMs: 30_000,
  /** Many servers request roots within this time after the handshake, outside any call. */
  settlingMs: 3_000,
  /** Pending requests of one server. */
  maxAsks: 64,
  /** `input_required` results of one call. */
  maxInputRounds: 10,
  /** The pause before a call is repeated whose `input_required` result holds no input requests. */
  returnPauseMs: 250,
  /** Backoff before an ended subscription is reopened: the first pause, and the longest. */
  listenPauseMs: 1_000,
  maxListenPauseMs: 60_000,
  /** Orphaned calls and tasks; beyond this, every ambiguous request is refused. */
  maxOrphaned: 10_000,
  /** Ids of abandoned requests, kept so that late responses are not counted as problems. */
  maxForgotten: 1_000,
} as const;
