import type { Metrics, MetricName } from '../metrics/metrics.ts';
import ruleData from './alert-rules.json' with { type: 'json' };
import { AnomalyDetector } from './detect-anomaly.ts';

export type Severity = 'info' | 'warning' | 'critical';

interface AlertRule {
  readonly name: string;
  /** `value`: as it is; `increase`, `ratio`: since the evaluation before; `anomaly`: of whole hours. */
  readonly kind: 'value' | 'increase' | 'ratio' | 'anomaly';
  readonly metric: MetricName;
  /** Only series one of whose labels is this; for a ratio it is the numerator. */
  readonly part?: string;
  readonly above?: number;
  readonly below?: number;
  readonly minCount?: number;
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

interface RuleState {
  readonly rule: AlertRule;
  last: number | undefined;
  lastTotal: number;
  pendingSinceMs: number | undefined;
  firing: AlertChange | undefined;
  readonly detector: AnomalyDetector;
  hour: { startMs: number; fromValue: number } | undefined;
}

const hourMs = 3_600_000;

/** Decides, whenever it is asked, which alerts begin and end. */
export class AlertEngine {
  readonly #metrics: Metrics;
  readonly #states: readonly RuleState[];

  constructor(metrics: Metrics, rules: readonly AlertRule[] = builtInRules) {
    this.#metrics = metrics;
    this.#states = rules.map((rule) => ({
      rule,
      last: undefined,
      lastTotal: 0,
      pendingSinceMs: undefined,
      firing: undefined,
      detector: new AnomalyDetector(),
      hour: undefined,
    }));
  }

  firing(): readonly AlertChange[] {
    return this.#states.flatMap(({ firing }) => firing ?? []);
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
    const { rule } = state;
    const isPart = (labels: readonly string[]): boolean =>
      rule.part === undefined || labels.includes(rule.part);
    const sum = this.#metrics.sum(rule.metric, isPart);
    if (rule.kind === 'anomaly') return measureHour(state, { sum, nowMs });
    if (rule.kind === 'value') return { isBad: isBeyond(rule, sum), value: sum };
    const total = this.#metrics.sum(rule.metric);
    const { last, lastTotal } = state;
    state.last = sum;
    state.lastTotal = total;
    // Its first evaluation: what was counted before is no increase.
    if (last === undefined) return undefined;
    const increase = Math.max(0, sum - last);
    if (rule.kind === 'increase') return { isBad: isBeyond(rule, increase), value: increase };
    const count = Math.max(0, total - lastTotal);
    if (count < (rule.minCount ?? 1)) return { isBad: false, value: 0 };
    return { isBad: isBeyond(rule, increase / count), value: increase / count };
  }
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
