/** What bounds conversations; times in milliseconds. */
export interface MemoryLimits {
  /** Of one turn as JSON, what it remembers included. */
  readonly maxTurnBytes: number;
  readonly maxTurns: number;
  /** Of all turns of one session as JSON. */
  readonly maxSessionBytes: number;
  /** Of one caller. */
  readonly maxSessions: number;
  readonly maxTitleLength: number;
  readonly maxSummaryLength: number;
  /** Of one caller. */
  readonly maxPreferences: number;
  /** Of one caller, superseded or rejected. */
  readonly maxPastPreferences: number;
  /** Memory items of one caller, turns included. */
  readonly maxItems: number;
  /** How long a writer that cannot be seen to be dead keeps its session after its last sign of life. */
  readonly leaseMs: number;
}

export const defaultMemoryLimits: MemoryLimits = {
  maxTurnBytes: 1_048_576,
  maxTurns: 10_000,
  maxSessionBytes: 33_554_432,
  maxSessions: 10_000,
  maxTitleLength: 200,
  maxSummaryLength: 20_000,
  maxPreferences: 50,
  maxPastPreferences: 200,
  maxItems: 200_000,
  leaseMs: 60_000,
};
