import type { AgentVersion, Comparison, Guardrail, Interval } from '../../contract/agents/index.ts';
import { type History, isSame, type Result } from '../choice/history.ts';
import { type Bounded, confidenceInterval, Wager } from './betting.ts';

export interface VersionSettings {
  /** Share of the tasks for a new version where an experiment does not say. */
  readonly share: number;
  /** Chance to promote a version that is not better, over all looks. */
  readonly risk: number;
  /** Outcomes after which a new version must have shown not to be worse by `margin`. */
  readonly probation: number;
  /** In success, 0 to 1. */
  readonly margin: number;
  /** Factors of the current version's cost and time, and what may be added to its part of refusals. */
  readonly guardrails: { readonly cost: number; readonly time: number; readonly refusals: number };
}

export const defaultVersionSettings: VersionSettings = {
  share: 0.2,
  risk: 0.05,
  probation: 150,
  margin: 0.1,
  guardrails: { cost: 1.5, time: 1.5, refusals: 0.1 },
};

interface Pair {
  readonly current: AgentVersion;
  readonly candidate: AgentVersion;
}

/** Less often, one outcome would weigh more than a hundred others. */
const minShare = 0.01;
/** Outcomes of the current version that its rate is taken from, the latest. */
const maxKnown = 1_000;

/** With the effect and its interval, of which each side is what a decision rests on: it takes some milliseconds. */
export function compareVersions(
  history: History,
  pair: Pair,
  settings: VersionSettings,
): Comparison {
  const { trials, ...judged } = judge(history, pair, settings);
  return { ...pair, ...judged, ...estimate(trials, 1 - 2 * settings.risk) };
}

/** Only what a decision needs. */
export function judge(history: History, pair: Pair, settings: VersionSettings) {
  const results = [...history.results].filter(({ outcome }) => !outcome.doneBy);
  const of = (version: AgentVersion) =>
    results.filter(({ decision }) => isSame(decision.chosen, version));
  const [known, tried] = [of(pair.current).slice(-maxKnown), of(pair.candidate)];
  const trials = trialsOf(results, pair);
  const evidence = new Evidence();
  for (const trial of trials) evidence.add(trial);
  const guardrails = checkGuardrails(known, tried, settings.guardrails);
  return {
    trials,
    outcomes: { current: known.length, candidate: tried.length },
    guardrails,
    ...decide({ evidence, known, tried, guardrails, settings }),
  };
}

/** Outcomes that say something of the difference, in the order in which they arrived. */
function trialsOf(results: readonly Result[], { current, candidate }: Pair): Trial[] {
  const byDecision = new Map(results.map((result) => [result.decision.id, result]));
  const paired = new Map<string, Result>();
  for (const result of results) {
    const { shadowOf } = result.decision;
    if (shadowOf !== undefined && isSame(result.decision.chosen, candidate))
      paired.set(shadowOf, result);
  }
  return results.flatMap(({ decision, outcome }): Trial[] => {
    if (decision.shadowOf !== undefined) return [];
    const shadow = isSame(decision.chosen, current) ? paired.get(decision.id) : undefined;
    if (shadow && byDecision.has(decision.id)) {
      return [{ kind: 'shadow', current: outcome.success, candidate: shadow.outcome.success }];
    }
    const version = [current, candidate].findIndex((one) => isSame(one, decision.chosen));
    const chance = (of: AgentVersion) =>
      decision.candidates.find((one) => isSame(one, of))?.propensity ?? 0;
    const both = chance(current) + chance(candidate);
    const share = both > 0 ? chance(candidate) / both : 0;
    if (version < 0 || share < minShare || share > 1 - minShare) return [];
    const name = version === 0 ? 'current' : 'candidate';
    return [{ kind: 'share', version: name, success: outcome.success, share }];
  });
}

function estimate(
  trials: readonly Trial[],
  confidence: number,
): { readonly effect: number | null; readonly interval: Interval } {
  const differences = new Differences();
  const values = trials.map((trial) => differences.of(trial));
  const isOneSided = new Set(
    trials.map((trial) => (trial.kind === 'share' ? trial.version : 'both')),
  );
  if (isOneSided.size === 0 || (isOneSided.size === 1 && !isOneSided.has('both'))) {
    return { effect: null, interval: { low: -1, high: 1, confidence } };
  }
  const sides = {
    low: values,
    high: values.map(({ value, max }) => ({ value: -value, min: -max })),
  };
  const { low, high } = confidenceInterval(sides, { min: -1, max: 1 }, 1 - confidence);
  const mean = values.reduce((sum, { value }) => sum + value, 0) / values.length;
  return { effect: Math.min(1, Math.max(-1, mean)), interval: { low, high, confidence } };
}

interface Findings {
  readonly evidence: Evidence;
  readonly known: readonly Result[];
  readonly tried: readonly Result[];
  readonly guardrails: readonly Guardrail[];
  readonly settings: VersionSettings;
}

function decide({
  evidence,
  known,
  tried,
  guardrails,
  settings,
}: Findings): Pick<Comparison, 'decision' | 'why'> {
  const { risk, probation, margin } = settings;
  const broken = guardrails.filter(({ isBroken }) => isBroken).map(({ metric }) => metric);
  if (broken.length > 0) {
    return { decision: 'roll back', why: `It breaks the limits of ${broken.join(', ')}.` };
  }
  if (evidence.isWorse(risk)) return { decision: 'roll back', why: 'It is shown to be worse.' };
  if (tried.length >= probation) {
    const success = (results: readonly Result[]) =>
      sampleOf(results.map(({ outcome }) => outcome.success));
    if (!passesProbation(success(known), success(tried.slice(0, probation)), margin)) {
      const points = Math.round(margin * 100);
      const why = `After ${probation} outcomes it is not shown to be less than ${points} points worse.`;
      return { decision: 'roll back', why };
    }
  }
  if (evidence.isBetter(risk)) return { decision: 'promote', why: 'It is shown to be better.' };
  return { decision: 'continue', why: 'Neither better nor worse is shown yet.' };
}

type Metric = Guardrail['metric'];

/** Fewer outcomes of the current version say too little of what is usual. */
const minKnown = 10;
/** Single outcomes count as at most this many times the usual cost or time. */
const maxFactor = 10;
const alphaOfEach = 0.05 / 3;
const smallest = 1e-9;

/** Whether the candidate is shown to cost more, take longer or refuse more often than may be, at any look. */
function checkGuardrails(
  known: readonly Result[],
  tried: readonly Result[],
  limits: VersionSettings['guardrails'],
): Guardrail[] {
  return [
    check('cost', [valuesOf(known, 'cost'), valuesOf(tried, 'cost')], limits.cost),
    check('time', [valuesOf(known, 'time'), valuesOf(tried, 'time')], limits.time),
    check('refusals', [valuesOf(known, 'refusals'), valuesOf(tried, 'refusals')], limits.refusals),
  ];
}

function check(
  metric: Metric,
  [known, tried]: readonly [readonly number[], readonly number[]],
  limit: number,
): Guardrail {
  const current = known.length > 0 ? meanOf(known) : null;
  const candidate = tried.length > 0 ? meanOf(tried) : null;
  const none = { metric, current, candidate, isBroken: false };
  if (current === null || known.length < minKnown) return none;
  // As parts of the largest value that counts, so that all lie between 0 and 1.
  const isRate = metric === 'refusals';
  const largest = isRate ? 1 : Math.max(current, smallest) * Math.max(maxFactor, 2 * limit);
  const allowed = isRate ? current + limit : (current * limit) / largest;
  if (allowed >= 1) return none;
  const wager = new Wager(allowed);
  for (const value of tried) wager.add({ value: Math.min(1, value / largest), min: 0 });
  return { ...none, isBroken: wager.rejects(alphaOfEach) };
}

function valuesOf(results: readonly Result[], metric: Metric): number[] {
  return results.flatMap(({ outcome: { costUsd, durationMs, evidence } }) => {
    if (metric === 'refusals') return [Number(evidence === 'refused')];
    return (metric === 'cost' ? costUsd : durationMs) ?? [];
  });
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Outcomes of a version as numbers that are enough for a mean and its error. */
interface Sample {
  readonly count: number;
  readonly sum: number;
  readonly squares: number;
}

/** Of the normal distribution: one in 33 lies above, so that with its error 95 of 100 bad versions fail. */
const quantile = 1.88;

export function sampleOf(values: readonly number[]): Sample {
  return {
    count: values.length,
    sum: values.reduce((sum, value) => sum + value, 0),
    squares: values.reduce((sum, value) => sum + value * value, 0),
  };
}

/**
 * The one look at the end of probation: a version passes when it is shown not to be worse by the margin. So one that
 * is worse by the margin fails in 95 of 100 cases whatever the rates are; how often an equal one fails follows from
 * the number of outcomes and cannot be chosen.
 */
export function passesProbation(current: Sample, candidate: Sample, margin: number): boolean {
  if (current.count === 0 || candidate.count === 0) return false;
  const difference = candidate.sum / candidate.count - current.sum / current.count;
  const error = Math.sqrt(squaredError(current) + squaredError(candidate));
  return difference + margin > quantile * error;
}

/** With half a success and half a failure more, so that a version that always succeeded has an error, too. */
function squaredError({ count, sum, squares }: Sample): number {
  const n = count + 1;
  const mean = (sum + 0.5) / n;
  return Math.max(0, (squares + 0.5) / n - mean * mean) / n;
}

/** An outcome of one of two versions, or of both on the same task. */
type Trial =
  | {
      readonly kind: 'share';
      readonly version: 'current' | 'candidate';
      readonly success: number;
      /** The probability that the candidate got this task rather than the current version. */
      readonly share: number;
    }
  | { readonly kind: 'shadow'; readonly current: number; readonly candidate: number };

type Difference = Bounded & { readonly max: number };

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
class Differences {
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
class Evidence {
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
