import type { AgentVersion, TaskClass } from '../../contract/agents/index.ts';

/** A Beta distribution of the chance of success. */
export interface Belief {
  readonly alpha: number;
  readonly beta: number;
}

export interface BeliefSettings {
  /** Of a candidate without outcomes, before any is seen. */
  readonly prior: Belief;
  /** Outcomes of a class after which one counts half: the lengths that are compared. */
  readonly halfLives: readonly number[];
  /** How many outcomes what is known of the class above counts for at most: the weights that are compared. */
  readonly parentWeights: readonly number[];
  /** Outcomes after which a forecast counts half in that comparison. */
  readonly forecastHalfLife: number;
  /** How much better (log-likelihood) the next half-life must have foretold them than the one before it in the list. */
  readonly reluctance: number;
}

export const defaultBeliefSettings: BeliefSettings = {
  prior: { alpha: 1, beta: 1 },
  halfLives: [100_000, 250],
  parentWeights: [8, 200, 3],
  forecastHalfLife: 500,
  reluctance: 5,
};

/** Faded by each half-life. */
interface Tally {
  readonly successes: readonly number[];
  readonly trials: readonly number[];
  /** The number of outcomes in the class when this was brought up to date. */
  readonly round: number;
}

type Counts = readonly [successes: number, trials: number];

interface Model {
  readonly halfLife: number;
  readonly parentWeight: number;
}

export interface Lesson {
  readonly candidate: AgentVersion;
  readonly task: TaskClass;
  readonly success: number;
}

/**
 * How well each version does in each class of tasks. Classes form a chain: the capability, then with language,
 * kind, size and project. A class borrows from the one above it and counts its own outcomes beside that, which
 * fade as others of the class arrive. How fast things change, and how alike classes are, differs: of each
 * capability those lengths and weights are used that would have foretold its latest outcomes best.
 */
export class Beliefs {
  readonly #settings: BeliefSettings;
  readonly #models: readonly Model[];
  readonly #tallies = new Map<string, Tally>();
  readonly #rounds = new Map<string, number>();
  /** For each capability the faded log-likelihoods of its outcomes, by model. */
  readonly #forecasts = new Map<string, number[]>();

  constructor(settings: BeliefSettings = defaultBeliefSettings) {
    this.#settings = settings;
    this.#models = settings.halfLives.flatMap((_, halfLife) =>
      settings.parentWeights.map((parentWeight) => ({ halfLife, parentWeight })),
    );
  }

  of(candidate: AgentVersion, task: TaskClass): Belief & { readonly outcomes: number } {
    const { prior } = this.#settings;
    const belief = believe(this.#chain(candidate, task), this.#bestModel(task.capability), prior);
    return { ...belief, outcomes: belief.alpha + belief.beta - prior.alpha - prior.beta };
  }

  learn({ candidate, task, success }: Lesson): void {
    this.#foretell({ candidate, task, success });
    for (const level of classesOf(task)) this.#count(candidate, level, success);
  }

  /** Replaces the success of a lesson that was learned as `before`. */
  relearn({ candidate, task, success }: Lesson, before: number): void {
    for (const level of classesOf(task)) {
      for (const key of keysOf(candidate, level)) {
        const tally = this.#read(key, level);
        const successes = tally.successes.map((count, index) =>
          clamp(count + success - before, tally.trials[index] ?? 0),
        );
        this.#tallies.set(key, { ...tally, successes });
      }
    }
  }

  #bestModel(capability: string): Model {
    const forecasts = this.#forecasts.get(capability);
    if (!forecasts) return this.#models[0] ?? { halfLife: 0, parentWeight: 1 };
    const fits = forecasts.map(
      (fit, index) => fit - this.#settings.reluctance * (this.#models[index]?.halfLife ?? 0),
    );
    return this.#models[fits.indexOf(Math.max(...fits))] ?? { halfLife: 0, parentWeight: 1 };
  }

  #foretell({ candidate, task, success }: Lesson): void {
    const { prior, forecastHalfLife } = this.#settings;
    const chain = this.#chain(candidate, task);
    const fade = 0.5 ** (1 / forecastHalfLife);
    const before = this.#forecasts.get(task.capability);
    const forecasts = this.#models.map((model, index) => {
      const { alpha, beta } = believe(chain, model, prior);
      const mean = alpha / (alpha + beta);
      const fit = success * Math.log(mean) + (1 - success) * Math.log(1 - mean);
      return (before?.[index] ?? 0) * fade + fit;
    });
    this.#forecasts.set(task.capability, forecasts);
  }

  /** From the agent's other versions down to the class of the task; each without what the next one counts. */
  #chain(candidate: AgentVersion, task: TaskClass): readonly (readonly Counts[])[] {
    const levels = classesOf(task);
    const capability = levels[0] ?? '';
    const tallies = [
      this.#read(`${candidate.agent}|${capability}`, capability),
      ...levels.map((level) => this.#read(`${nameOf(candidate)}|${level}`, level)),
    ];
    return tallies.map((tally, index) => without(tally, tallies[index + 1]));
  }

  #count(candidate: AgentVersion, level: string, success: number): void {
    this.#rounds.set(level, (this.#rounds.get(level) ?? 0) + 1);
    for (const key of keysOf(candidate, level)) {
      const { successes, trials, round } = this.#read(key, level);
      this.#tallies.set(key, {
        successes: successes.map((count) => count + success),
        trials: trials.map((count) => count + 1),
        round,
      });
    }
  }

  /** As of now: faded by what came since. */
  #read(key: string, level: string): Tally {
    const round = this.#rounds.get(level) ?? 0;
    const tally = this.#tallies.get(key);
    if (!tally) {
      const none = this.#settings.halfLives.map(() => 0);
      return { successes: none, trials: none, round };
    }
    if (tally.round === round) return tally;
    const fades = this.#settings.halfLives.map((length) => 0.5 ** ((round - tally.round) / length));
    const faded = (counts: readonly number[]) =>
      counts.map((count, index) => count * (fades[index] ?? 1));
    return { successes: faded(tally.successes), trials: faded(tally.trials), round };
  }
}

function believe(chain: readonly (readonly Counts[])[], model: Model, prior: Belief): Belief {
  let belief = prior;
  for (const [index, counts] of chain.entries()) {
    const [successes, trials] = counts[model.halfLife] ?? [0, 0];
    const { alpha, beta } = index === 0 ? belief : weighed(belief, model.parentWeight);
    belief = { alpha: alpha + successes, beta: beta + trials - successes };
  }
  return belief;
}

const features = ['language', 'kind', 'size', 'project'] as const;

/** The capability, then one feature more each; features that a task does not have are left out. */
function classesOf(task: TaskClass): string[] {
  const classes = [encodeURIComponent(task.capability)];
  for (const feature of features) {
    const value = task[feature];
    if (value === undefined) continue;
    classes.push(`${classes.at(-1) ?? ''}/${feature}=${encodeURIComponent(value)}`);
  }
  return classes;
}

function nameOf({ agent, version }: AgentVersion): string {
  return `${agent}@${version}`;
}

/** What is known of an agent's other versions is kept for the capability as a whole. */
function keysOf(candidate: AgentVersion, level: string): string[] {
  const own = `${nameOf(candidate)}|${level}`;
  return level.includes('/') ? [own] : [`${candidate.agent}|${level}`, own];
}

/** What a class knows beside one of its parts, whose outcomes are counted on their own. */
function without(whole: Tally, part: Tally | undefined): Counts[] {
  return whole.trials.map((count, index): Counts => {
    const successes = whole.successes[index] ?? 0;
    if (!part) return [successes, count];
    const trials = Math.max(0, count - (part.trials[index] ?? 0));
    return [clamp(successes - (part.successes[index] ?? 0), trials), trials];
  });
}

/** The same mean with at most this weight. */
function weighed(belief: Belief, maxWeight: number): Belief {
  const factor = Math.min(1, maxWeight / (belief.alpha + belief.beta));
  return { alpha: belief.alpha * factor, beta: belief.beta * factor };
}

function clamp(value: number, max: number): number {
  return Math.min(max, Math.max(0, value));
}
