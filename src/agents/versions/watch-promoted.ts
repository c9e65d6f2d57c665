import type { ExperimentPlan } from '../../contract/agents/index.ts';
import { isSame, type Course, type History } from '../choice/history.ts';
import { Wager } from './betting.ts';
import type { VersionSettings } from './compare-versions.ts';

export interface Promotion {
  readonly plan: ExperimentPlan;
  readonly atMs: number;
}

/** The promotion that stands; undefined while something else is tried. */
export function standingPromotion({ experiment, changes }: Course): Promotion | undefined {
  const last = changes.at(-1);
  return experiment === null && last?.event === 'promoted' ? last : undefined;
}

/** Fewer outcomes of the version before say too little of how it was. */
const minKnown = 30;
/** A wager begins with every block, so that a long good time hides no bad one; their risks sum to the whole. */
const blockSize = 50;
/** An older wager would have decided by now. */
const maxWatched = 1_000;

/**
 * Whether a promoted version is shown to have become worse than the one before it was, by the margin: at the risk of
 * a rollback, at any look. The rate of the version before is that of its own time, since it gets no more tasks.
 */
export function isDegraded(
  history: History,
  { plan, atMs }: Promotion,
  { risk, margin }: Pick<VersionSettings, 'risk' | 'margin'>,
): boolean {
  const { agent } = plan;
  const results = [...history.results].filter(({ outcome }) => !outcome.doneBy);
  const failuresOf = (version: string, sinceMs: number): number[] =>
    results
      .filter(({ decision }) => isSame(decision.chosen, { agent, version }))
      .filter(({ decision }) => decision.atMs >= sinceMs)
      .map(({ outcome }) => 1 - outcome.success);
  const before = failuresOf(plan.current, 0);
  if (before.length < minKnown) return false;
  const usual = before.reduce((sum, failed) => sum + failed, 0) / before.length;
  if (usual + margin >= 1) return false;
  const since = failuresOf(plan.candidate, atMs);
  for (let block = 0; block * blockSize < since.length; block += 1) {
    const start = block * blockSize;
    if (since.length - start > maxWatched) continue;
    const wager = new Wager(usual + margin);
    for (const value of since.slice(start)) wager.add({ value, min: 0 });
    if (wager.rejects(risk / ((block + 1) * (block + 2)))) return true;
  }
  return false;
}
