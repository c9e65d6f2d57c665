/** The shapes of work every contender does: steps that do nothing but return a small value. */
export interface Scenario {
  readonly name: string;
  readonly label: string;
  readonly steps: number;
  /** Runs at the same time. */
  readonly runs: number;
  /** For each run the same: groups of steps that may run side by side; a group needs the one before. */
  readonly layers: readonly number[];
}

const layersOf = (count: number, width: number): number[] =>
  Array.from({ length: count }, () => width);

export const scenarios: readonly Scenario[] = [
  {
    name: 'sequential',
    label: '1,000 steps one after the other',
    steps: 1_000,
    runs: 1,
    layers: layersOf(1_000, 1),
  },
  { name: 'fan-out', label: '1,000 steps side by side', steps: 1_000, runs: 1, layers: [1_000] },
  {
    name: 'concurrent',
    label: '200 runs of 5 steps at once',
    steps: 1_000,
    runs: 200,
    layers: layersOf(5, 1),
  },
  {
    name: 'dag',
    label: 'a graph of 10,000 steps, 100 wide',
    steps: 10_000,
    runs: 1,
    layers: layersOf(100, 100),
  },
];

/** The same shapes in sizes: what a step costs must not depend on how many there are. */
export const sizes: readonly Scenario[] = [10, 100, 1_000, 10_000].flatMap((steps) => [
  {
    name: `sequential-${steps}`,
    label: `${steps} steps one after the other`,
    steps,
    runs: 1,
    layers: layersOf(steps, 1),
  },
  { name: `wide-${steps}`, label: `${steps} steps side by side`, steps, runs: 1, layers: [steps] },
]);

/** What a step returns, for all contenders. */
export interface StepValue {
  readonly n: number;
}

/**
 * Which steps of the layer before a step of the graph needs: two, so that every step takes what two
 * others gave. Contenders that know only layers wait for the whole layer.
 */
export function needsOf(step: number, width: number): readonly [number, number] {
  return [step % width, (step * 7 + 3) % width];
}

/** Counts executed steps and when, so that nobody is paid for work that was not done. */
export class StepCounter {
  #times: number[] = [];

  /** The work of a step. */
  readonly step = (n: number): StepValue => {
    this.#times.push(performance.now());
    return { n };
  };

  get count(): number {
    return this.#times.length;
  }

  reset(): void {
    this.#times = [];
  }

  /** The median time from one step to the next, in microseconds. */
  p50Us(): number {
    const gaps = this.#times.slice(1).map((time, index) => time - (this.#times[index] ?? time));
    gaps.sort((a, b) => a - b);
    return (gaps[Math.floor(gaps.length / 2)] ?? Number.NaN) * 1_000;
  }
}
