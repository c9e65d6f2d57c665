/** Durations kept per server: enough for a steady 99th percentile, 16 KB at most. */
const maxKeptDurations = 2_048;

/** Counts calls and keeps the durations of the latest. */
export class CallStatistics {
  readonly #durationsMs: number[] = [];
  #next = 0;
  #calls = 0;
  #failedCalls = 0;

  add(durationMs: number, hasFailed: boolean): void {
    this.#calls += 1;
    if (hasFailed) this.#failedCalls += 1;
    this.#durationsMs[this.#next] = durationMs;
    this.#next = (this.#next + 1) % maxKeptDurations;
  }

  summary(): CallSummary {
    const sorted = this.#durationsMs.toSorted((a, b) => a - b);
    return {
      calls: this.#calls,
      failedCalls: this.#failedCalls,
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
    };
  }
}

export interface CallSummary {
  readonly calls: number;
  readonly failedCalls: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/** The nearest rank, to a thousandth of a millisecond. */
function percentile(sorted: readonly number[], share: number): number | null {
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  return value === undefined ? null : Math.round(value * 1_000) / 1_000;
}
