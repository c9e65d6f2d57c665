import type { AgentVersion, Comparison, Guardrail, Interval } from '../../contract/agents/index.ts';
import { isSame, type History, type Result } from '../choice/history.ts';
import { confidenceInterval } from './betting.ts';
import { Differences, Evidence, type Trial } from './evidence.ts';
import { checkGuardrails } from './guardrails.ts';
import { passesProbation, sampleOf } from './probation.ts';

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
export function trialsOf(results: readonly Result[], { current, candidate }: Pair): Trial[] {
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
