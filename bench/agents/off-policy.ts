import { createAgentChoice, type AgentChoice } from '../../src/agents/index.ts';
import type { AgentVersion, TaskClass } from '../../src/contract/agents/index.ts';
import { localCaller } from '../../src/contract/caller/index.ts';
import { seeded } from '../../testkit/agents/seeded.ts';
import { ourPlayer, playWorld } from './play-world.ts';
import { createWorld, type WorldSpec } from './world.ts';

type Policy = (task: TaskClass, candidates: readonly AgentVersion[]) => readonly number[];

export interface Estimated {
  readonly isCovered: boolean;
  readonly width: number;
  readonly error: number;
}

const policies: readonly Policy[] = [
  (_task, candidates) => candidates.map(() => 1 / candidates.length),
  (_task, candidates) => candidates.map(({ agent }) => Number(agent === 'agent-0')),
  (_task, candidates) =>
    candidates.map(({ agent }) => (agent === 'agent-1' ? 0.8 : 0.2 / (candidates.length - 1))),
];
const tasksForTruth = 20_000;

/** Logs a world with our chooser, estimates three other policies from the log, and compares with the truth. */
export async function estimatePolicies(spec: WorldSpec, seed: number): Promise<Estimated[]> {
  let choice: AgentChoice | undefined;
  await playWorld(spec, seed, (world, random) =>
    ourPlayer(world, random, (created: ReturnType<typeof createAgentChoice>) => {
      choice = created;
    }),
  );
  const world = createWorld(spec, seed);
  const estimated: Estimated[] = [];
  for (const policy of policies) {
    const estimate = await choice?.estimate(localCaller, policy);
    if (!estimate) continue;
    const random = seeded(99);
    let truth = 0;
    for (let turn = 0; turn < tasksForTruth; turn += 1) {
      const task = world.task(random);
      const candidates = world.agents.map((agent) => ({ agent, version: '1' }));
      for (const [agent, probability] of policy(task, candidates).entries()) {
        truth += (probability * (world.expected(agent, task, 0) ?? 0)) / tasksForTruth;
      }
    }
    const { low, high } = estimate.interval;
    estimated.push({
      isCovered: low <= truth && truth <= high,
      width: high - low,
      error: Math.abs(estimate.doublyRobust - truth),
    });
  }
  return estimated;
}
