import { thompson, tunings, uniform } from './baselines.ts';
import { ourPlayer, playWorld, type Played, type Player } from './play-world.ts';
import type { World, WorldSpec } from './world.ts';

export interface RegretRow {
  readonly spec: WorldSpec;
  readonly ours: number;
  /** Of the Thompson sampler tuned for this world with hindsight. */
  readonly tuned: number;
  /** Of every tuning, in the order of `tunings`. */
  readonly tunedAll: readonly number[];
  readonly uniform: number;
  readonly maxExplored: number;
  readonly meanExplored: number;
}

export async function measureRegret(spec: WorldSpec, seeds: readonly number[]): Promise<RegretRow> {
  const play = async (create: (world: World, random: () => number) => Player) => {
    const played: Played[] = [];
    for (const seed of seeds) played.push(await playWorld(spec, seed, create));
    return played;
  };
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const regretOf = (played: readonly Played[]) => mean(played.map(({ regret }) => regret));
  const ours = await play(ourPlayer);
  const tunedAll: number[] = [];
  for (const tuning of tunings) tunedAll.push(regretOf(await play(thompson(tuning))));
  return {
    spec,
    ours: regretOf(ours),
    tuned: Math.min(...tunedAll),
    tunedAll,
    uniform: regretOf(await play(uniform)),
    maxExplored: Math.max(...ours.map(({ maxExplored }) => maxExplored)),
    meanExplored: mean(ours.map(({ meanExplored }) => meanExplored)),
  };
}
