import type { Guardrail } from '../../contract/agents/index.ts';
import type { Result } from '../choice/history.ts';
import { Wager } from './betting.ts';
import type { VersionSettings } from './compare-versions.ts';

type Metric = Guardrail['metric'];

/** Fewer outcomes of the current version say too little of what is usual. */
const minKnown = 10;
/** Single outcomes count as at most this many times the usual cost or time. */
const maxFactor = 10;
const alphaOfEach = 0.05 / 3;
const smallest = 1e-9;

/** Whether the candidate is shown to cost more, take longer or refuse more often than may be, at any look. */
export function checkGuardrails(
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
