import { Wager, type Bounded } from './betting.ts';

/** An outcome of one of two versions, or of both on the same task. */
export type Trial =
  | {
      readonly kind: 'share';
      readonly version: 'current' | 'candidate';
      readonly success: number;
      /** The probability that the candidate got this task rather than the current version. */
      readonly share: number;
    }
  | { readonly kind: 'shadow'; readonly current: number; readonly candidate: number };

export type Difference = Bounded & { readonly max: number };

/** A running mean that begins at a half. */
class Mean {
  #sum = 0.5;
  #count = 1;
  add(value: number): void {
    this.#sum += value;
    this.#count += 1;
  }
  get value(): number {
    return this.#sum / this.#count;
  }
}

/**
 * Turns trials into values whose mean, given everything before, is the difference in success: for pairs the
 * difference, for a share the doubly robust estimate with the running means as forecasts. So it does not matter
 * how tasks, or the versions, change over time.
 */
export class Differences {
  readonly #current = new Mean();
  readonly #candidate = new Mean();

  of(trial: Trial): Difference {
    if (trial.kind === 'shadow') {
      return { value: trial.candidate - trial.current, min: -1, max: 1 };
    }
    const { share, success, version } = trial;
    const current = this.#current.value;
    const candidate = this.#candidate.value;
    const lead = candidate - current;
    const correction =
      version === 'candidate' ? (success - candidate) / share : -(success - current) / (1 - share);
    (version === 'candidate' ? this.#candidate : this.#current).add(success);
    return {
      value: lead + correction,
      min: lead - Math.max(candidate / share, (1 - current) / (1 - share)),
      max: lead + Math.max((1 - candidate) / share, current / (1 - share)),
    };
  }
}

/** Whether the candidate is shown to be better, or worse: valid at every look. */
export class Evidence {
  readonly #differences = new Differences();
  readonly #better = new Wager(0);
  readonly #worse = new Wager(0);

  add(trial: Trial): void {
    const { value, min, max } = this.#differences.of(trial);
    this.#better.add({ value, min });
    this.#worse.add({ value: -value, min: -max });
  }

  isBetter(alpha: number): boolean {
    return this.#better.rejects(alpha);
  }

  isWorse(alpha: number): boolean {
    return this.#worse.rejects(alpha);
  }
}
