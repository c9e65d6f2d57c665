import { describe, expect, it } from 'vitest';
import { createMemoryChoiceLog } from '../../../testkit/agents/memory-choice-log.ts';
import { seeded } from '../../../testkit/agents/seeded.ts';
import type { ExperimentPlan, Outcome } from '../../contract/agents/index.ts';
import { localCaller } from '../../contract/caller/index.ts';
import { createAgentChoice } from '../create-agent-choice.ts';

const agent = 'testing';
const plan: ExperimentPlan = { agent, current: '1', candidate: '2', mode: 'share', share: 0.5 };
const candidates = ['1', '2'].map((version) => ({ agent, version, health: 1, load: 0 }));
const request = {
  caller: localCaller,
  task: { capability: 'tests.write' },
  candidates,
  mayExplore: true,
};

function create() {
  const random = seeded(4);
  const { chooser, versions } = createAgentChoice({
    log: createMemoryChoiceLog(),
    random: seeded(9),
  });
  /** Chooses and records, until something is decided. */
  const play = async (turns: number, outcomeOf: (version: string) => Partial<Outcome>) => {
    for (let turn = 0; turn < turns; turn += 1) {
      const { decisionId, chosen, shadow } = await chooser.choose(request);
      const record = (id: string, version: string) =>
        chooser.record(localCaller, {
          decisionId: id,
          success: 1,
          evidence: 'tests',
          ...outcomeOf(version),
        });
      await record(decisionId, chosen.version);
      if (shadow) await record(shadow.decisionId, shadow.version);
      const [decided] = await versions.decide(localCaller);
      if (decided) return decided;
    }
    return undefined;
  };
  return { chooser, versions, play, random };
}

describe('versions of agents', () => {
  it.each(['share', 'shadow'] as const)('promote a better one that runs as %s', async (mode) => {
    const { chooser, versions, play, random } = create();
    await versions.start(localCaller, { ...plan, mode });
    const decided = await play(400, (version) => ({
      success: Number(random() < (version === '2' ? 0.95 : 0.6)),
    }));
    expect(decided?.decision).toBe('promote');
    expect(decided?.interval.low).toBeGreaterThanOrEqual(0);
    expect(decided?.effect).toBeGreaterThan(0.1);
    const [status] = await versions.status(localCaller);
    expect(status).toMatchObject({ current: '2', experiment: null });
    const { chosen, order } = await chooser.choose(request);
    expect(chosen.version).toBe('2');
    expect(order).toHaveLength(2);
  });

  it('roll back a worse one', async () => {
    const { chooser, versions, play, random } = create();
    await versions.start(localCaller, plan);
    const decided = await play(400, (version) => ({
      success: Number(random() < (version === '2' ? 0.6 : 0.9)),
    }));
    expect(decided?.decision).toBe('roll back');
    expect(decided?.outcomes.candidate).toBeLessThanOrEqual(150);
    const { chosen } = await chooser.choose(request);
    expect(chosen.version).toBe('1');
  });

  it('roll back a promoted one that becomes worse, and keep one that does not', async () => {
    const { versions, play, random } = create();
    await versions.start(localCaller, { ...plan, share: 0.1 });
    const succeeding = (rate: number) => (version: string) => ({
      success: Number(random() < (version === '2' ? rate : 0.6)),
    });
    expect((await play(1_000, succeeding(0.95)))?.decision).toBe('promote');
    expect(await play(300, succeeding(0.7))).toBeUndefined();
    const decided = await play(300, succeeding(0.2));
    expect(decided).toMatchObject({
      decision: 'roll back',
      why: 'Since its promotion it is shown to be worse than version 1 was.',
    });
    const [status] = await versions.status(localCaller);
    expect(status).toMatchObject({ current: '1', experiment: null });
  });

  it.each([
    ['cost', (version: string) => ({ costUsd: version === '2' ? 0.5 : 0.1 })],
    ['time', (version: string) => ({ durationMs: version === '2' ? 9_000 : 1_000 })],
    [
      'refusals',
      (version: string) => ({ evidence: version === '2' ? 'refused' : 'tests' }) as const,
    ],
  ])(
    'roll back one that breaks the limit of %s, even if it succeeds',
    async (metric, outcomeOf) => {
      const { versions, play } = create();
      await versions.start(localCaller, plan);
      const decided = await play(200, outcomeOf);
      expect(decided).toMatchObject({
        decision: 'roll back',
        why: `It breaks the limits of ${metric}.`,
      });
    },
  );

  it('give a new version its share, and nothing where the task may have effects', async () => {
    const { chooser, versions } = create();
    await versions.start(localCaller, { ...plan, share: 0.2 });
    const { order } = await chooser.explain(request);
    expect(order.find(({ version }) => version === '2')?.propensity).toBeCloseTo(0.2, 9);
    const careful = await chooser.explain({ ...request, mayExplore: false });
    expect(careful).toMatchObject({ chosen: { version: '1' }, propensity: 1 });
  });

  it('are compared at any time, and rolled back by a person', async () => {
    const { versions, play } = create();
    const versionOf = (version: string) => ({ agent, version });
    const compare = () => versions.compare(localCaller, versionOf('1'), versionOf('2'));
    expect(await compare()).toMatchObject({
      effect: null,
      interval: { low: -1, high: 1 },
      decision: 'continue',
    });
    await versions.start(localCaller, plan);
    await play(10, () => ({}));
    expect((await compare()).effect).not.toBeNull();
    await versions.rollback(localCaller, agent, 'I liked the old one');
    const [status] = await versions.status(localCaller);
    expect(status?.history.at(-1)).toMatchObject({
      event: 'rolled back',
      from: '2',
      to: '1',
      why: 'I liked the old one',
    });
    expect(await versions.status({ id: 'stranger' })).toEqual([]);
  });

  it('refuse what cannot be compared', async () => {
    const { versions } = create();
    const start = (more: Partial<ExperimentPlan>) =>
      versions.start(localCaller, { ...plan, ...more });
    await expect(start({ candidate: '1' })).rejects.toMatchObject({
      code: 'agents.invalid_experiment',
    });
    await expect(start({ share: 0.9 })).rejects.toMatchObject({
      code: 'agents.invalid_experiment',
    });
    await expect(versions.rollback(localCaller, agent, '')).rejects.toMatchObject({
      code: 'agents.nothing_to_roll_back',
    });
    await start({});
    await expect(start({ candidate: '3' })).rejects.toMatchObject({
      code: 'agents.experiment_running',
    });
  });
});
