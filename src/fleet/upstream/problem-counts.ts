const maxKinds = 50;

/** Contained misbehaviour of a server, counted by kind. */
export class ProblemCounts {
  readonly #counts = new Map<string, number>();

  /** `problem` is a constant predicate, such as `sent an invalid JSON-RPC message`. */
  add(problem: string): void {
    const count = this.#counts.get(problem);
    if (count === undefined && this.#counts.size >= maxKinds) return;
    this.#counts.set(problem, (count ?? 0) + 1);
  }

  list(): readonly string[] {
    return Array.from(this.#counts, ([problem, count]) =>
      count === 1 ? problem : `${problem} (${count} times)`,
    );
  }
}
