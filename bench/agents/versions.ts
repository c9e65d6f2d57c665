import { createAgentChoice } from '../../src/agents/index.ts';
import { localCaller } from '../../src/contract/caller/index.ts';
import { createMemoryChoiceLog } from '../../testkit/agents/memory-choice-log.ts';
import { seeded } from '../../testkit/agents/seeded.ts';

export interface VersionWorld {
  /** Success of the current version, and how much better the candidate is. */
  readonly success: number;
  readonly difference: number;
  readonly mode: 'share' | 'shadow';
  readonly share: number;
  /** Outcomes of the current version before the experiment. */
  readonly known: number;
  /** Outcomes of the candidate after which it ends undecided. */
  readonly maxOutcomes: number;
  /** In shadow mode: how often both versions of a task meet the same luck. */
  readonly alike?: number;
}

export interface Trial {
  readonly decision: 'promoted' | 'rolled back' | 'undecided';
  /** Of the candidate, until then. */
  readonly outcomes: number;
}

const agent = 'testing';
const task = { capability: 'tests.write' };

/** One experiment through the product's ports, decided after every single outcome. */
export async function tryVersion(world: VersionWorld, seed: number): Promise<Trial> {
  const random = seeded(seed * 6151 + 3);
  const { chooser, versions } = createAgentChoice({
    log: createMemoryChoiceLog(),
    random: seeded(seed * 31_337 + 11),
  });
  const candidates = ['1', '2'].map((version) => ({ agent, version, health: 1, load: 0 }));
  const request = { caller: localCaller, task, candidates, mayExplore: true };
  const success = (version: string, luck: number) =>
    luck < world.success + (version === '2' ? world.difference : 0) ? 1 : 0;
  const record = (decisionId: string, value: number) =>
    chooser.record(localCaller, { decisionId, success: value, evidence: 'tests' });

  for (let turn = 0; turn < world.known; turn += 1) {
    const old = { ...request, candidates: candidates.slice(0, 1) };
    const { decisionId } = await chooser.choose(old);
    await record(decisionId, success('1', random()));
  }
  const { mode, share } = world;
  await versions.start(localCaller, { agent, current: '1', candidate: '2', mode, share });
  let outcomes = 0;
  while (outcomes < world.maxOutcomes) {
    const { decisionId, chosen, shadow } = await chooser.choose(request);
    const luck = random();
    await record(decisionId, success(chosen.version, luck));
    const other = random() < (world.alike ?? 0) ? luck : random();
    if (shadow) await record(shadow.decisionId, success(shadow.version, other));
    if (shadow || chosen.version === '2') outcomes += 1;
    const [decided] = await versions.decide(localCaller);
    if (decided) {
      const decision = decided.decision === 'promote' ? 'promoted' : 'rolled back';
      return { decision, outcomes };
    }
  }
  return { decision: 'undecided', outcomes };
}
