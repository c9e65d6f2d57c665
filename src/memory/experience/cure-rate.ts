/** Uses of a fix, the latest first: whether the next attempt succeeded. */
export type Uses = readonly boolean[];

/** What is believed before anything was seen: as if it had been used `weight` times and cured `mean` of them. */
export interface Prior {
  readonly mean: number;
  readonly weight: number;
}

/** A use counts this much of the one after it, so that what stops working loses its rate. */
const recency = 0.93;
const missesToDemote = 3;
/** Attempts without any change that a comparison needs. */
const minCompared = 5;

/** The mean of the Beta posterior: the chance that the next use cures. */
export function cureRate(uses: Uses, prior: Prior): number {
  let cured = prior.mean * prior.weight;
  let all = prior.weight;
  let weight = 1;
  for (const isCured of uses) {
    if (isCured) cured += weight;
    all += weight;
    weight *= recency;
  }
  return cured / all;
}

export interface Without {
  readonly attempts: number;
  readonly successes: number;
}

/** It failed several times in a row, or attempts with nothing changed succeed as often as those with it. */
export function isDemoted(uses: Uses, prior: Prior, without: Without): boolean {
  const latest = uses.slice(0, missesToDemote);
  if (latest.length === missesToDemote && !latest.includes(true)) return true;
  if (uses.length < missesToDemote || without.attempts < minCompared) return false;
  const unchanged = (without.successes + 1) / (without.attempts + 2);
  return cureRate(uses, prior) <= unchanged;
}
