/** Every limit of the log, with its unit. */
export const logLimits = {
  /** Size at which the file is put aside and a new one begun. */
  maxFileBytes: 100 * 1024 * 1024,
  /** Files put aside that are kept: `tutti.log.1` is the youngest. */
  backupCount: 5,
  /** A longer line keeps its message and loses its fields. */
  maxLineLength: 64 * 1024,
  maxMessageLength: 8 * 1024,
  maxDepth: 8,
  maxEntries: 100,
  maxValues: 1_000,
  maxStringLength: 8 * 1024,
  /** A rotation takes milliseconds; a lock this old was left by a process that died. */
  staleLockMs: 10_000,
} as const;
