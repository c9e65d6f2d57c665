import type { Candidate, Criterion, TaskClass } from '../../contract/agents/index.ts';
import type { Beliefs } from './beliefs.ts';
import { chancesToBeBest } from './propensities.ts';

export interface ChoiceSettings {
  readonly weights: Readonly<Record<Criterion, number>>;
  /** The largest probability that a candidate is drawn which does not rank first; 0 to 0.05. */
  readonly exploration: number;
}

export const defaultChoiceSettings: ChoiceSettings = {
  weights: { success: 1, health: 0.2, load: 0.1, cost: 0.1, latency: 0.05 },
  exploration: 0.05,
};

export interface Ranked {
  readonly candidate: Candidate;
  readonly score: number;
  readonly criteria: Readonly<Record<Criterion, number>>;
  readonly outcomes: number;
  readonly propensity: number;
}

/** Below it a candidate is never tried out. */
const minHealth = 0.5;
/** Drawn this often at least, of what may be explored: estimates of other policies need it. */
const evenPart = 0.1;
/** So that nothing is infinitely better than free or immediate. */
const costFloorUsd = 0.001;
const latencyFloorMs = 100;
const tie = 1e-9;

interface Terms {
  readonly task: TaskClass;
  readonly mayExplore: boolean;
}

/**
 * Scores candidates and gives each the probability to be drawn. With exploration a candidate's success counts one
 * standard deviation better than its mean, so that the unknown gets the benefit of the doubt; the first is drawn, but
 * for at most `exploration`, which the others share by their chance to be the best (Thompson sampling). Without,
 * the best mean is drawn.
 */
export function rank(
  candidates: readonly Candidate[],
  { task, mayExplore }: Terms,
  { beliefs, settings }: { readonly beliefs: Beliefs; readonly settings: ChoiceSettings },
): readonly Ranked[] {
  const { weights } = settings;
  const total = Math.max(
    tie,
    Object.values(weights).reduce((sum, weight) => sum + weight, 0),
  );
  const known = knownCriteria(candidates);
  const scored = candidates.map((candidate, index) => {
    const belief = beliefs.of(candidate, task);
    const weight = belief.alpha + belief.beta;
    const mean = belief.alpha / weight;
    const doubt = mayExplore ? Math.sqrt((mean * (1 - mean)) / (weight + 1)) : 0;
    const rest = known[index] ?? neutral;
    const offset =
      (weights.health * rest.health +
        weights.load * rest.load +
        weights.cost * rest.cost +
        weights.latency * rest.latency) /
      total;
    const scale = weights.success / total;
    return {
      candidate,
      score: offset + scale * (mean + doubt),
      criteria: { success: mean, ...rest },
      outcomes: belief.outcomes,
      uncertain: { alpha: belief.alpha, beta: belief.beta, offset, scale: Math.max(scale, tie) },
    };
  });
  const best = Math.max(...scored.map(({ score }) => score));
  const isFirst = scored.map(({ score }) => score >= best - tie);
  const propensities = mayExplore
    ? spread(isFirst, { scored, exploration: settings.exploration })
    : onlyFirst(isFirst);
  return scored.map(({ candidate, score, criteria, outcomes }, index) => ({
    candidate,
    score,
    criteria,
    outcomes,
    propensity: propensities[index] ?? 0,
  }));
}

/** Of those that rank first together, the first named. */
function onlyFirst(isFirst: readonly boolean[]): number[] {
  const first = isFirst.indexOf(true);
  return isFirst.map((_, index) => (index === first ? 1 : 0));
}

interface Spreadable {
  readonly candidate: Candidate;
  readonly uncertain: Parameters<typeof chancesToBeBest>[0][number];
}

function spread(
  isFirst: readonly boolean[],
  { scored, exploration }: { readonly scored: readonly Spreadable[]; readonly exploration: number },
): number[] {
  const chances = chancesToBeBest(scored.map(({ uncertain }) => uncertain));
  const isOther = scored.map(
    ({ candidate }, index) => isFirst[index] !== true && candidate.health >= minHealth,
  );
  const others = isOther.filter(Boolean).length;
  const wanted = chances.reduce((sum, chance, index) => sum + (isOther[index] ? chance : 0), 0);
  const even = others > 0 ? evenPart * exploration : 0;
  const byChance = Math.min(wanted, exploration - even);
  const firsts = isFirst.filter(Boolean).length;
  return chances.map((chance, index) => {
    if (isFirst[index] === true) return (1 - even - byChance) / firsts;
    if (isOther[index] !== true) return 0;
    return even / others + (wanted > 0 ? (byChance * chance) / wanted : 0);
  });
}

type Known = Readonly<Record<Exclude<Criterion, 'success'>, number>>;
const neutral: Known = { health: 1, load: 1, cost: 1, latency: 1 };

/** The cheapest and the fastest have 1; one of unknown cost is taken for an average one. */
function knownCriteria(candidates: readonly Candidate[]): Known[] {
  const cost = relative(
    candidates.map(({ costUsd }) => costUsd),
    costFloorUsd,
  );
  const latency = relative(
    candidates.map(({ latencyMs }) => latencyMs),
    latencyFloorMs,
  );
  return candidates.map(({ health, load }, index) => ({
    health,
    load: 1 - load,
    cost: cost[index] ?? 1,
    latency: latency[index] ?? 1,
  }));
}

function relative(values: readonly (number | undefined)[], floor: number): number[] {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return values.map(() => 1);
  const least = Math.min(...known);
  const average = known.reduce((sum, value) => sum + value, 0) / known.length;
  return values.map((value) => (least + floor) / ((value ?? average) + floor));
}
