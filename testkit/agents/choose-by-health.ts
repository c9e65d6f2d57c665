import { randomUUID } from 'node:crypto';
import type { Candidate, Choice, ChoiceRequest, Chooser } from '../../src/contract/agents/index.ts';
import { NoCandidatesError } from '../../src/agents/errors.ts';

/** Chooses by health and load, then by name; learns nothing. */
export function chooseByHealth(): Chooser {
  const choose = async (request: ChoiceRequest): Promise<Choice> => {
    const order = request.candidates.toSorted(
      (a, b) => scoreOf(b) - scoreOf(a) || a.agent.localeCompare(b.agent),
    );
    const [first] = order;
    if (!first) throw new NoCandidatesError(request.task.capability);
    return {
      decisionId: randomUUID(),
      chosen: { agent: first.agent, version: first.version },
      propensity: 1,
      order: order.map((one, index) => ({
        agent: one.agent,
        version: one.version,
        score: scoreOf(one),
        criteria: { success: 0.5, health: one.health, load: 1 - one.load, cost: 1, latency: 1 },
        outcomes: 0,
        propensity: index === 0 ? 1 : 0,
      })),
      why: `${first.agent}@${first.version} has the best health and the least work`,
      explored: false,
    };
  };
  return { choose, explain: choose, record: async () => {} };
}

function scoreOf({ health, load }: Candidate): number {
  return (2 * health + (1 - load)) / 3;
}
