import type { AgentVersion, TaskClass } from '../../contract/agents/index.ts';
import { isSame, type Result } from '../choice/history.ts';
import { confidenceInterval, type Bounded } from './betting.ts';

/** The probability that a policy gives to each candidate of a task; they sum to 1. */
export type Policy = (task: TaskClass, candidates: readonly AgentVersion[]) => readonly number[];

export interface PolicyEstimate {
  /** Decisions it rests on. */
  readonly decisions: number;
  /** Success, 0 to 1: inverse propensity, self-normalised, doubly robust. */
  readonly ips: number;
  readonly snips: number;
  readonly doublyRobust: number;
  /** Of the doubly robust estimate; holds at every moment at once. */
  readonly interval: { readonly low: number; readonly high: number; readonly confidence: number };
}

const alpha = 0.05;
/** Outcomes that a forecast counts for before there are any. */
const priorWeight = 2;
/** Weights are cut at this, or at the square root of the number of decisions so far. */
const minCap = 5;

interface Term {
  readonly weight: number;
  readonly success: number;
  /** What was foretold of the candidate that was chosen, and of the policy. */
  readonly forecast: number;
  readonly expected: number;
  readonly bounds: { readonly low: Bounded; readonly high: Bounded };
}

/**
 * The success that a policy would have had on the decisions of the log where candidates were drawn at random. The
 * interval is a confidence sequence of doubly robust terms, whose forecasts know earlier outcomes only. Weights are
 * cut at a size known before each outcome, towards the safe side: the interval becomes wider and stays valid.
 */
export function estimatePolicy(
  results: readonly Result[],
  policy: Policy,
): PolicyEstimate | undefined {
  const terms = termsOf(results, policy);
  if (terms.length === 0) return undefined;
  const mean = (of: (term: Term) => number) =>
    terms.reduce((sum, term) => sum + of(term), 0) / terms.length;
  const ips = mean(({ weight, success }) => weight * success);
  const weights = mean(({ weight }) => weight);
  const sides = {
    low: terms.map(({ bounds }) => bounds.low),
    // Of failures: its mean is one minus that of success.
    high: terms.map(({ bounds: { high } }) => ({ value: high.value - 1, min: high.min - 1 })),
  };
  return {
    decisions: terms.length,
    ips,
    snips: weights > 0 ? ips / weights : ips,
    doublyRobust: mean(
      ({ expected, weight, success, forecast }) => expected + weight * (success - forecast),
    ),
    interval: {
      ...confidenceInterval(sides, { min: 0, max: 1 }, alpha),
      confidence: 1 - alpha,
    },
  };
}

function termsOf(results: readonly Result[], policy: Policy): Term[] {
  const forecasts = new Forecasts();
  const terms: Term[] = [];
  for (const { decision, outcome } of results) {
    const { chosen, candidates, task } = decision;
    if (outcome.doneBy || decision.shadowOf !== undefined) continue;
    const wanted = policy(task, candidates);
    const options = candidates.map((candidate, index) => ({
      candidate,
      wanted: wanted[index] ?? 0,
      propensity: candidate.propensity,
      forecast: forecasts.of(candidate),
    }));
    const option = options.find(({ candidate }) => isSame(candidate, chosen));
    // A candidate that the policy wants and that could not be drawn: nothing can be said.
    if (!option || options.some((one) => one.wanted > 0 && one.propensity <= 0)) continue;
    const { success } = outcome;
    const cap = Math.max(minCap, Math.sqrt(terms.length));
    terms.push({
      weight: option.wanted / option.propensity,
      success,
      forecast: option.forecast,
      expected: options.reduce((sum, one) => sum + one.wanted * one.forecast, 0),
      bounds: {
        low: bound(options, { option, success, cap }),
        high: bound(options.map(mirrored), { option: mirrored(option), success: 1 - success, cap }),
      },
    });
    forecasts.learn(chosen, success);
  }
  return terms;
}

interface Option {
  readonly wanted: number;
  readonly propensity: number;
  readonly forecast: number;
}

function mirrored(option: Option): Option {
  return { ...option, forecast: 1 - option.forecast };
}

/** A value whose mean is the policy's success, or below it where a weight was cut. */
function bound(
  options: readonly Option[],
  {
    option,
    success,
    cap,
  }: { readonly option: Option; readonly success: number; readonly cap: number },
): Bounded {
  const cut = ({ wanted, propensity }: Option) =>
    propensity > 0 ? Math.min(cap, wanted / propensity) : 0;
  const expected = options.reduce((sum, one) => sum + one.propensity * cut(one) * one.forecast, 0);
  return {
    value: expected + cut(option) * (success - option.forecast),
    min: expected - Math.max(...options.map((one) => cut(one) * one.forecast)),
  };
}

/** Mean success of each version so far. */
class Forecasts {
  readonly #sums = new Map<string, { readonly sum: number; readonly count: number }>();

  of({ agent, version }: AgentVersion): number {
    const { sum, count } = this.#sums.get(`${agent}@${version}`) ?? none;
    return (sum + priorWeight / 2) / (count + priorWeight);
  }

  learn({ agent, version }: AgentVersion, success: number): void {
    const key = `${agent}@${version}`;
    const { sum, count } = this.#sums.get(key) ?? none;
    this.#sums.set(key, { sum: sum + success, count: count + 1 });
  }
}

const none = { sum: 0, count: 0 };
