import { describe, expect, it } from 'vitest';
import { createMemoryChoiceLog } from '../../../testkit/agents/memory-choice-log.ts';
import { seeded } from '../../../testkit/agents/seeded.ts';
import type { Candidate, ChoiceRequest, EvidenceKind } from '../../contract/agents/index.ts';
import { localCaller } from '../../contract/caller/index.ts';
import { createAgentChoice } from '../create-agent-choice.ts';

const candidate = (agent: string, more: Partial<Candidate> = {}): Candidate => ({
  agent,
  version: '1',
  health: 1,
  load: 0,
  ...more,
});
const request: ChoiceRequest = {
  caller: localCaller,
  task: { capability: 'tests.write', language: 'python' },
  candidates: [candidate('a'), candidate('b'), candidate('c')],
  mayExplore: true,
};
const create = (seed = 1, log = createMemoryChoiceLog()) =>
  createAgentChoice({ log, random: seeded(seed) }).chooser;

/** `good` succeeds, the others fail. */
async function teach(chooser: ReturnType<typeof create>, good: string, turns = 60): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    const { decisionId, chosen } = await chooser.choose(request);
    const success = Number(chosen.agent === good);
    await chooser.record(localCaller, { decisionId, success, evidence: 'tests' });
  }
}

describe('a choice among agents', () => {
  it('counts the latest word of a person, and a failure after an approval', async () => {
    const alone = { ...request, candidates: [candidate('a')] };
    const successAfter = async (
      ...said: readonly (readonly [evidence: EvidenceKind, success: number, isDelayed?: boolean])[]
    ) => {
      const chooser = create();
      const { decisionId } = await chooser.choose(alone);
      for (const [evidence, success, isDelayed = false] of said) {
        const durationMs = isDelayed ? {} : { durationMs: 1_000 };
        await chooser.record(localCaller, {
          decisionId,
          success,
          evidence,
          isDelayed,
          ...durationMs,
        });
      }
      return (await chooser.explain(alone)).order[0]?.criteria.success ?? 0;
    };
    const good = await successAfter(['verified', 1]);
    const bad = await successAfter(['failed', 0]);
    expect(await successAfter(['verified', 1], ['feedback', 0, true])).toBe(bad);
    expect(await successAfter(['person', 1, true], ['feedback', 0, true])).toBe(bad);
    expect(await successAfter(['feedback', 1, true], ['person', 0, true])).toBe(bad);
    expect(await successAfter(['failed', 0], ['feedback', 1, true])).toBe(good);
    expect(await successAfter(['person', 1, true], ['failed', 0])).toBe(bad);
    expect(await successAfter(['person', 1, true], ['answered', 0])).toBe(good);
    expect(await successAfter(['person', 1, true], ['failed', 0], ['feedback', 1, true])).toBe(
      good,
    );
  });

  it('goes to the one that succeeds, and says why', async () => {
    const chooser = create();
    await teach(chooser, 'b');
    const { chosen, why, order } = await chooser.explain(request);
    expect(chosen.agent).toBe('b');
    expect(why).toMatch(
      /^b 1 ranks first for tests\.write \(python\) \(\d+ % success expected from \d+ outcomes\); next is/,
    );
    expect(order.map(({ agent }) => agent).toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('goes to the cheaper and faster of two that succeed alike, by what their tasks cost and took', async () => {
    const chooser = create();
    const two = { ...request, candidates: [candidate('a'), candidate('b')], mayExplore: false };
    for (const agent of ['a', 'b', 'b', 'a']) {
      const { decisionId } = await chooser.choose(two);
      const isDear = agent === 'a';
      await chooser.record(localCaller, {
        decisionId,
        success: 1,
        evidence: 'tests',
        costUsd: isDear ? 1 : 0.1,
        durationMs: isDear ? 60_000 : 5_000,
        doneBy: { agent, version: '1' },
      });
    }
    const { chosen, order } = await chooser.explain(two);
    expect(chosen.agent).toBe('b');
    const dear = order.find(({ agent }) => agent === 'a')?.criteria;
    expect(dear?.cost).toBeLessThan(0.2);
    expect(dear?.latency).toBeLessThan(0.2);
  });

  it('keeps to its propensities, which sum to one, and to 5 % of exploration', async () => {
    const chooser = create();
    await teach(chooser, 'b', 40);
    const { order } = await chooser.explain(request);
    const expected = new Map(order.map(({ agent, propensity }) => [agent, propensity]));
    expect([...expected.values()].reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 9);
    expect(expected.get('b')).toBeGreaterThanOrEqual(0.95);
    const counts = new Map<string, number>();
    for (let turn = 0; turn < 4_000; turn += 1) {
      const { chosen, propensity, explored } = await chooser.choose(request);
      expect(propensity).toBe(expected.get(chosen.agent));
      expect(explored).toBe(chosen.agent !== 'b');
      counts.set(chosen.agent, (counts.get(chosen.agent) ?? 0) + 1);
    }
    for (const [agent, propensity] of expected) {
      const error = Math.sqrt((propensity * (1 - propensity)) / 4_000);
      expect(Math.abs((counts.get(agent) ?? 0) / 4_000 - propensity)).toBeLessThan(
        4 * error + 1e-9,
      );
    }
  });

  it('tries nothing where the task may have effects', async () => {
    const chooser = create();
    await teach(chooser, 'b', 40);
    for (let turn = 0; turn < 200; turn += 1) {
      const choice = await chooser.choose({ ...request, mayExplore: false });
      expect(choice).toMatchObject({ chosen: { agent: 'b' }, propensity: 1, explored: false });
    }
  });

  it('prefers the healthy, the idle, the cheap and the fast among those that succeed alike', async () => {
    const chooser = create();
    const first = async (candidates: Candidate[]) =>
      (await chooser.choose({ ...request, candidates, mayExplore: false })).chosen.agent;
    expect(await first([candidate('a', { health: 0.2 }), candidate('b')])).toBe('b');
    expect(await first([candidate('a', { load: 1 }), candidate('b')])).toBe('b');
    expect(await first([candidate('a', { costUsd: 1 }), candidate('b', { costUsd: 0.1 })])).toBe(
      'b',
    );
    expect(
      await first([candidate('a', { latencyMs: 9_000 }), candidate('b', { latencyMs: 100 })]),
    ).toBe('b');
  });

  it('credits late outcomes to their decision, the stronger evidence in place of the weaker', async () => {
    const chooser = create();
    const only = { ...request, candidates: [candidate('a')] };
    const { decisionId } = await chooser.choose(only);
    for (let turn = 0; turn < 30; turn += 1) {
      const { decisionId: id } = await chooser.choose({ ...request, candidates: [candidate('b')] });
      await chooser.record(localCaller, { decisionId: id, success: 1, evidence: 'tests' });
    }
    const successOf = async () => (await chooser.explain(only)).order[0]?.criteria.success ?? 0;
    await chooser.record(localCaller, {
      decisionId,
      success: 1,
      evidence: 'tests',
      isDelayed: true,
    });
    const before = await successOf();
    await chooser.record(localCaller, {
      decisionId,
      success: 0,
      evidence: 'person',
      isDelayed: true,
    });
    const after = await successOf();
    await chooser.record(localCaller, {
      decisionId,
      success: 1,
      evidence: 'check',
      isDelayed: true,
    });
    expect(before).toBeGreaterThan(0.6);
    expect(after).toBeLessThan(0.4);
    expect(await successOf()).toBe(after);
  });

  it('credits a failover to the one that did the task', async () => {
    const chooser = create();
    const { decisionId, chosen, order } = await chooser.choose(request);
    const next = order[1] ?? chosen;
    const doneBy = { agent: next.agent, version: next.version };
    await chooser.record(localCaller, { decisionId, success: 0, evidence: 'failed' });
    await chooser.record(localCaller, { decisionId, success: 1, evidence: 'tests', doneBy });
    expect((await chooser.explain(request)).chosen).toEqual(doneBy);
  });

  it('learns for each caller separately, and also what another process recorded', async () => {
    const log = createMemoryChoiceLog();
    const [one, other] = [create(1, log), create(2, log)];
    await one.explain(request);
    await teach(other, 'c');
    expect((await one.explain(request)).chosen.agent).toBe('c');
    const stranger = await one.explain({ ...request, caller: { id: 'stranger' } });
    expect(stranger.order.every(({ outcomes }) => outcomes === 0)).toBe(true);
  });

  it('gives back the candidates it was given, whatever was learned', async () => {
    const random = seeded(7);
    for (let round = 0; round < 40; round += 1) {
      const log = createMemoryChoiceLog();
      const chooser = create(round, log);
      const names = Array.from(
        { length: 1 + Math.floor(random() * 8) },
        (_, index) => `agent-${index}`,
      );
      const candidates = names.map((name) => candidate(name, { health: random(), load: random() }));
      const mayExplore = random() < 0.5;
      for (let turn = 0; turn < 30; turn += 1) {
        const { decisionId, chosen, order } = await chooser.choose({
          ...request,
          candidates,
          mayExplore,
        });
        expect(order.map(({ agent }) => agent).toSorted()).toEqual(names.toSorted());
        expect(order[0]).toMatchObject(chosen);
        // Any posterior can come of these.
        await chooser.record(localCaller, { decisionId, success: random(), evidence: 'feedback' });
      }
    }
  });

  it('refuses what it cannot understand', async () => {
    const chooser = create();
    const choose = (candidates: Candidate[]) => chooser.choose({ ...request, candidates });
    await expect(choose([])).rejects.toMatchObject({ code: 'agents.no_candidates' });
    for (const bad of [
      { health: 2 },
      { load: Number.NaN },
      { costUsd: -1 },
      { agent: 'x'.repeat(999) },
    ]) {
      await expect(choose([candidate('a', bad)])).rejects.toMatchObject({
        code: 'agents.invalid_choice',
      });
    }
    await expect(choose([candidate('a'), candidate('a')])).rejects.toThrow(
      '"a@1" is a candidate twice',
    );
    const outcome = { decisionId: 'none', success: 1, evidence: 'tests' } as const;
    await expect(chooser.record(localCaller, outcome)).rejects.toMatchObject({
      code: 'agents.unknown_decision',
    });
    const { decisionId } = await chooser.choose(request);
    const theirs = chooser.record({ id: 'stranger' }, { ...outcome, decisionId });
    await expect(theirs).rejects.toMatchObject({ code: 'agents.unknown_decision' });
    const wrong = chooser.record(localCaller, { ...outcome, decisionId, success: 1.5 });
    await expect(wrong).rejects.toMatchObject({ code: 'agents.invalid_choice' });
  });
});
