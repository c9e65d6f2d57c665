/** A plan as it was read, before anybody looked whether it is one. */
export interface PlanDocument {
  readonly data: unknown;
  readonly problems: readonly DocumentProblem[];
  /** The line, from 1, of what lies at a path, or of the nearest thing around it. */
  lineOf(path: readonly (string | number)[]): number | null;
}

export interface DocumentProblem {
  readonly at: readonly (string | number)[];
  readonly line: number | null;
  readonly code: string;
  readonly message: string;
}

/** Counts lines for places in a text that are asked for in any order. */
export function createLineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
