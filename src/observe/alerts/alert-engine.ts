import type { Metrics, MetricName } from '../metrics/metrics.ts';
import ruleData from './alert-rules.json' with { type: 'json' };
import { AnomalyDetector, type AnomalyPoint } from './detect-anomaly.ts';

export type Severity = 'info' | 'warning' | 'critical';

interface AlertRule {
  readonly name: string;
  /** `value`: as it is; `increase`, `ratio`: within `windowMs`; `anomaly`: of whole hours. */
  readonly kind: 'value' | 'increase' | 'ratio' | 'anomaly';
  readonly metric: MetricName;
  /** Only series one of whose labels is this; for a ratio it is the numerator. */
  readonly part?: string;
  readonly above?: number;
  readonly below?: number;
  /** A ratio of fewer says nothing. */
  readonly minCount?: number;
  /** What is counted: the latest so many milliseconds, however often the rule is evaluated. */
  readonly windowMs?: number;
  /** How long it must hold before the alert fires. */
  readonly forMs: number;
  readonly severity: Severity;
  readonly summary: string;
}

// The test of the rules checks that their metrics exist.
export const builtInRules = ruleData as readonly AlertRule[];

/** An alert that began or ended. Names and numbers only: nothing that a caller or server wrote. */
export interface AlertChange {
  readonly alert: string;
  readonly state: 'firing' | 'resolved';
  readonly severity: Severity;
  readonly summary: string;
  readonly value: number;
  readonly sinceMs: number;
}

export interface EarlierAlerts {
  readonly firing: readonly AlertChange[];
  readonly history: Readonly<Record<string, readonly AnomalyPoint[]>>;
}

interface RuleState {
  readonly rule: AlertRule;
  /** Oldest first, from the last one before the window on. */
  readonly samples: Sample[];
  pendingSinceMs: number | undefined;
  firing: AlertChange | undefined;
  readonly detector: AnomalyDetector;
  hour: { startMs: number; fromValue: number } | undefined;
}

interface Sample {
  readonly atMs: number;
  readonly part: number;
  readonly total: number;
}

const hourMs = 3_600_000;
/** Enough for the longest window at the shortest interval. */
const maxSamples = 1_000;

/** Decides, whenever it is asked, which alerts begin and end. */
export class AlertEngine {
  readonly #metrics: Metrics;
  readonly #states: readonly RuleState[];

  /** What was counted before `startMs` is no increase. */
  constructor(metrics: Metrics, startMs: number, rules: readonly AlertRule[] = builtInRules) {
    this.#metrics = metrics;
    this.#states = rules.map((rule) => ({
      rule,
      samples: [this.#sample(rule, startMs)],
      pendingSinceMs: undefined,
      firing: undefined,
      detector: new AnomalyDetector(),
      hour: undefined,
    }));
  }

  firing(): readonly AlertChange[] {
    return this.#states.flatMap(({ firing }) => firing ?? []);
  }

  /** Hours that rules of unusual values compare with, by rule. */
  history(): Readonly<Record<string, readonly AnomalyPoint[]>> {
    return Object.fromEntries(
      this.#states
        .filter(({ rule }) => rule.kind === 'anomaly')
        .map(({ rule, detector }) => [rule.name, detector.points]),
    );
  }

  /** What an earlier process left. What fires goes on until it is found to be over. */
  restore(earlier: EarlierAlerts, nowMs: number): void {
    for (const state of this.#states) {
      state.firing = earlier.firing.find(({ alert }) => alert === state.rule.name);
      state.detector.restore(earlier.history[state.rule.name] ?? [], nowMs);
    }
  }

  evaluate(nowMs: number): readonly AlertChange[] {
    return this.#states.flatMap((state) => this.#step(state, nowMs) ?? []);
  }

  #step(state: RuleState, nowMs: number): AlertChange | undefined {
    const { rule } = state;
    const measured = this.#measure(state, nowMs);
    if (measured === undefined) return undefined;
    if (!measured.isBad) {
      state.pendingSinceMs = undefined;
      const { firing } = state;
      state.firing = undefined;
      return firing && { ...firing, state: 'resolved', value: measured.value };
    }
    state.pendingSinceMs ??= nowMs;
    if (state.firing || nowMs - state.pendingSinceMs < rule.forMs) return undefined;
    const { name: alert, severity, summary } = rule;
    const since = { value: measured.value, sinceMs: state.pendingSinceMs };
    state.firing = { alert, state: 'firing', severity, summary, ...since };
    return state.firing;
  }

  /** Undefined while nothing can be said, which changes nothing. */
  #measure(state: RuleState, nowMs: number): { isBad: boolean; value: number } | undefined {
    const { rule, samples } = state;
    const now = this.#sample(rule, nowMs);
    if (rule.kind === 'anomaly') return measureHour(state, { sum: now.part, nowMs });
    if (rule.kind === 'value') return { isBad: isBeyond(rule, now.part), value: now.part };
    samples.push(now);
    dropOld(samples, nowMs - (rule.windowMs ?? 0));
    const before = samples[0] ?? now;
    const increase = Math.max(0, now.part - before.part);
    if (rule.kind === 'increase') return { isBad: isBeyond(rule, increase), value: increase };
    const count = Math.max(0, now.total - before.total);
    if (count < (rule.minCount ?? 1)) return { isBad: false, value: 0 };
    return { isBad: isBeyond(rule, increase / count), value: increase / count };
  }

  #sample({ metric, part }: AlertRule, atMs: number): Sample {
    const isPart = (labels: readonly string[]): boolean =>
      part === undefined || labels.includes(part);
    return { atMs, part: this.#metrics.sum(metric, isPart), total: this.#metrics.sum(metric) };
  }
}

/** Keeps the last one before the window: with an interval longer than the window it is the one before this. */
function dropOld(samples: Sample[], fromMs: number): void {
  const first = samples.findLastIndex(({ atMs }, at) => atMs <= fromMs && at < samples.length - 1);
  samples.splice(0, Math.max(first, samples.length - maxSamples, 0));
}

/** Hours are compared once they are whole. */
function measureHour(
  state: RuleState,
  { sum, nowMs }: { readonly sum: number; readonly nowMs: number },
): { isBad: boolean; value: number } | undefined {
  const startMs = Math.floor(nowMs / hourMs) * hourMs;
  const { hour } = state;
  if (hour?.startMs === startMs) return undefined;
  state.hour = { startMs, fromValue: sum };
  // The hour in which it began is not whole.
  if (!hour || startMs - hour.startMs !== hourMs) return undefined;
  const value = Math.max(0, sum - hour.fromValue);
  const { isUnusual } = state.detector.add(hour.startMs, value);
  return { isBad: isUnusual, value };
}

function isBeyond({ above, below }: AlertRule, value: number): boolean {
  return (above !== undefined && value > above) || (below !== undefined && value < below);
}
