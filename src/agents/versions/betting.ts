/** One observation: its distance below the tested mean is at most `floor`, known before it is seen. */
export interface Bounded {
  readonly value: number;
  /** The smallest value it could have had. */
  readonly min: number;
}

/** Of the largest possible bet: never everything. */
const caution = 0.5;

/**
 * Evidence that a mean is above `mean`, by betting against it (Waudby-Smith and Ramdas 2024). While the mean is
 * not above, the wealth ever reaches 1/α with a chance of α at most, however often it is looked at.
 */
export class Wager {
  readonly #mean: number;
  #logWealth = 0;
  #maxLogWealth = 0;
  #count = 1;
  #sum: number;
  #squares = 0.25;

  constructor(mean: number) {
    this.#mean = mean;
    this.#sum = mean;
  }

  add({ value, min }: Bounded): void {
    const estimate = this.#sum / this.#count;
    const lead = Math.max(0, estimate - this.#mean);
    const spread = this.#squares / this.#count;
    const most = caution / Math.max(this.#mean - min, Number.EPSILON);
    const bet = Math.min(most, lead / (spread + lead * lead));
    this.#logWealth += Math.log1p(bet * (value - this.#mean));
    this.#maxLogWealth = Math.max(this.#maxLogWealth, this.#logWealth);
    this.#count += 1;
    this.#sum += value;
    this.#squares += (value - this.#sum / this.#count) ** 2;
  }

  /** Whether the wealth has ever reached 1/α. */
  rejects(alpha: number): boolean {
    return this.#maxLogWealth >= -Math.log(alpha);
  }
}

export interface MeanRange {
  readonly min: number;
  readonly max: number;
}

const gridSteps = 200;

/** What bounds a mean: values whose mean is not above it, and values whose mean is not above its negative. */
export interface Sides {
  readonly low: readonly Bounded[];
  readonly high: readonly Bounded[];
}

/** The means that no wager rejects; holds at every moment at once. */
export function confidenceInterval(
  sides: Sides,
  { min, max }: MeanRange,
  alpha: number,
): { low: number; high: number } {
  const at = (step: number) => min + ((max - min) * step) / gridSteps;
  const isRejected = (mean: number, values: readonly Bounded[]) => {
    const wager = new Wager(mean);
    for (const value of values) wager.add(value);
    return wager.rejects(alpha / 2);
  };
  const low = countWhile((step) => isRejected(at(step), sides.low));
  const high = countWhile((step) => isRejected(-at(gridSteps - step), sides.high));
  return { low: at(Math.max(0, low - 1)), high: at(gridSteps - Math.max(0, high - 1)) };
}

/** How many steps from 0 hold, where those that hold come first. */
function countWhile(holds: (step: number) => boolean): number {
  let [first, last] = [0, gridSteps + 1];
  while (first < last) {
    const middle = (first + last) >> 1;
    if (holds(middle)) first = middle + 1;
    else last = middle;
  }
  return first;
}
