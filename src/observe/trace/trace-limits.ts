/** Every limit of tracing, with its unit. */
export const traceLimits = {
  /** Spans kept in the store; the oldest go first. */
  maxKeptSpans: 200_000,
  /** Spans older than this are removed from the store. */
  maxKeptAgeMs: 14 * 24 * 60 * 60 * 1000,
  /** How often, at most, old spans are looked for. */
  pruneIntervalMs: 10 * 60 * 1000,
  /** Unless so many spans were written since. */
  pruneAfterSpans: 100_000,
  /** Spans that wait to be written; more are dropped, counted and reported in the log. */
  maxQueuedSpans: 8_192,
  maxBatchSpans: 512,
  flushIntervalMs: 200,
  /** How long spans wait for another attempt when the store is busy. */
  busyPauseMs: 500,
  /** Attempts that closing makes while the store is busy; what it has not taken by then is dropped. */
  maxCloseAttempts: 5,
  /** Spans of one trace that are read back. */
  maxSpansPerTrace: 10_000,
  /** Spans looked through to find traces, and for what is usual. */
  maxSearchedSpans: 50_000,
  /** Traces listed at once. */
  maxListedTraces: 1_000,
  /** Traces named when a prefix fits several. */
  maxCandidates: 10,
  minPrefixLength: 6,
  maxNameLength: 256,
  maxAttributes: 64,
  maxAttributeLength: 4_096,
  maxTracestateLength: 512,
  maxBaggageLength: 8_192,
  exportTimeoutMs: 3_000,
  /** How long closing waits for the collector; what it has not taken by then is dropped. */
  closeTimeoutMs: 2_000,
} as const;
