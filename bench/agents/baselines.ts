import type { TaskClass } from '../../src/contract/agents/index.ts';
import type { Player } from './play-world.ts';
import type { World } from './world.ts';

export interface Tuning {
  /** What is left of an outcome after another one. */
  readonly fade: number;
  readonly prior: number;
  /** One posterior for each class of tasks, or one for all. */
  readonly perClass: boolean;
}

/** What "best tuned" is chosen from, for each world with hindsight. */
export const tunings: readonly Tuning[] = [1, 0.999, 0.997, 0.99].flatMap((fade) =>
  [1, 0.5].flatMap((prior) => [false, true].map((perClass) => ({ fade, prior, perClass }))),
);

/** Thompson sampling with Beta posteriors, as in the textbooks; explores as much as it likes. */
export function thompson({ fade, prior, perClass }: Tuning) {
  return (_world: World, random: () => number): Player => {
    const tallies = new Map<string, { successes: number; trials: number; round: number }>();
    const rounds = new Map<string, number>();
    const turns: { readonly key: string; readonly agent: number }[] = [];
    const read = (key: string, agent: number) => {
      const round = rounds.get(key) ?? 0;
      const tally = tallies.get(`${key}|${agent}`);
      const left = tally ? fade ** (round - tally.round) : 0;
      return { successes: (tally?.successes ?? 0) * left, trials: (tally?.trials ?? 0) * left };
    };
    return {
      async choose(task: TaskClass, agents) {
        const key = perClass ? JSON.stringify(task) : '';
        const drawn = agents.map((agent) => {
          const { successes, trials } = read(key, agent);
          return drawBeta(random, prior + successes, prior + trials - successes);
        });
        const agent = agents[drawn.indexOf(Math.max(...drawn))] ?? 0;
        turns.push({ key, agent });
        return { agent, explored: 0 };
      },
      async learn(turn, success) {
        const { key, agent } = turns[turn] ?? { key: '', agent: 0 };
        const round = (rounds.get(key) ?? 0) + 1;
        const { successes, trials } = read(key, agent);
        rounds.set(key, round);
        tallies.set(`${key}|${agent}`, {
          successes: successes * fade + success,
          trials: trials * fade + 1,
          round,
        });
      },
    };
  };
}

export const uniform = (_world: World, random: () => number): Player => ({
  async choose(_task, agents) {
    return { agent: agents[Math.floor(random() * agents.length)] ?? 0, explored: 0 };
  },
  async learn() {},
});

function drawBeta(random: () => number, alpha: number, beta: number): number {
  const one = drawGamma(random, alpha);
  return one / (one + drawGamma(random, beta));
}

/** Marsaglia and Tsang. */
function drawGamma(random: () => number, shape: number): number {
  if (shape < 1) return drawGamma(random, shape + 1) * random() ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  // Accepts more than 95 of 100 tries.
  for (;;) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const cube = (1 + c * normal) ** 3;
    if (cube <= 0) continue;
    const bound = 0.5 * normal * normal + d - d * cube + d * Math.log(cube);
    if (Math.log(1 - random()) < bound) return d * cube;
  }
}
