import { createAgentChoice, type AgentChoice } from '../../src/agents/index.ts';
import { localCaller } from '../../src/contract/caller/index.ts';
import type { TaskClass } from '../../src/contract/agents/index.ts';
import { createMemoryChoiceLog } from '../../testkit/agents/memory-choice-log.ts';
import { seeded } from '../../testkit/agents/seeded.ts';
import { createWorld, type World, type WorldSpec } from './world.ts';

/** Something that chooses in a simulated world. */
export interface Player {
  /** An index of `agents`, and the probability mass that was not on what ranks first. */
  choose(task: TaskClass, agents: readonly number[]): Promise<{ agent: number; explored: number }>;
  /** `turn` counts the choices from 0. */
  learn(turn: number, success: number): Promise<void>;
}

export interface Played {
  /** Expected successes lost against always taking the best. */
  readonly regret: number;
  /** Largest and mean probability of an agent that did not rank first. */
  readonly maxExplored: number;
  readonly meanExplored: number;
}

export async function playWorld(
  spec: WorldSpec,
  seed: number,
  create: (world: World, random: () => number) => Player,
): Promise<Played> {
  const world = createWorld(spec, seed);
  const random = seeded(seed * 7919 + 13);
  const player = create(world, seeded(seed * 104_729 + 5));
  const waiting: { readonly at: number; readonly turn: number; readonly success: number }[] = [];
  let [regret, maxExplored, sumExplored] = [0, 0, 0];
  for (let turn = 0; turn < spec.horizon; turn += 1) {
    for (let index = waiting.length - 1; index >= 0; index -= 1) {
      const one = waiting[index];
      if (!one || one.at > turn) continue;
      waiting.splice(index, 1);
      await player.learn(one.turn, one.success);
    }
    const task = world.task(random);
    const means = world.agents.map((_, agent) => world.expected(agent, task, turn));
    const agents = means.flatMap((mean, agent) => (mean === undefined ? [] : agent));
    const { agent, explored } = await player.choose(task, agents);
    const mean = means[agent] ?? 0;
    regret += Math.max(...means.map((one) => one ?? 0)) - mean;
    maxExplored = Math.max(maxExplored, explored);
    sumExplored += explored;
    const success = world.outcome(mean, random);
    const delay = world.delay(random);
    if (delay === 0) await player.learn(turn, success);
    else waiting.push({ at: turn + delay, turn, success });
  }
  return { regret, maxExplored, meanExplored: sumExplored / spec.horizon };
}

/** The product, through the port that its users call. */
export function ourPlayer(
  world: World,
  random: () => number,
  onLearned?: (choice: AgentChoice) => void,
): Player {
  const choice = createAgentChoice({ log: createMemoryChoiceLog(), random });
  onLearned?.(choice);
  const ids: string[] = [];
  return {
    async choose(task, agents) {
      const candidates = agents.map((agent) => ({
        agent: world.agents[agent] ?? '',
        version: '1',
        health: 1,
        load: 0,
      }));
      const request = { caller: localCaller, task, candidates, mayExplore: true };
      const { decisionId, chosen, order } = await choice.chooser.choose(request);
      ids.push(decisionId);
      const best = Math.max(...order.map(({ score }) => score));
      const others = order.filter(({ score }) => score < best - 1e-9);
      return {
        agent: world.agents.indexOf(chosen.agent),
        explored: others.reduce((sum, { propensity }) => sum + propensity, 0),
      };
    },
    async learn(turn, success) {
      const decisionId = ids[turn] ?? '';
      await choice.chooser.record(localCaller, { decisionId, success, evidence: 'tests' });
    },
  };
}
