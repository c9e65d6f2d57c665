/** What bounds choosing and learning. */
export const agentsLimits = {
  /** Candidates of one choice. */
  maxCandidates: 100,
  /** Of a name or value in a task or a candidate. */
  maxNameLength: 200,
  /** Decisions and results of a caller in memory, the latest. */
  maxDecisions: 20_000,
  /** Callers whose history is in memory, the latest used. */
  maxCallers: 200,
  /** Entries of the log read at once. */
  maxPage: 1_000,
  /** Changes of an agent's versions that are shown. */
  maxChanges: 100,
} as const;
