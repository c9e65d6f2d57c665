import { describe, expect, it } from 'vitest';
import { planSchema, type Plan } from '../../src/contract/plan/index.ts';
import { interpret, projectRun, type RunOutcome } from '../../src/workflow/interpret/index.ts';
import { compilePlan } from '../../src/workflow/plan/index.ts';
import { Crashed, MemoryEngine, referenceRun } from '../../testkit/workflow/index.ts';
import { sampleSeeded, seededRandom } from '../../testkit/sample.ts';
import { pretendActivity } from '../support/workflow/pretend-activity.ts';
import { comingSignals, randomPlan } from '../support/workflow/random-plan.ts';

const plansOfEachSort = 3_000;
const crashedPlans = 300;
const unlimited = { maxParallel: Infinity, maxItems: 10_000 };

describe('random plans', () => {
  for (const mayStop of [false, true]) {
    const sort = mayStop
      ? 'plans that may stop at a failure'
      : 'plans in which failures are skipped';

    it(`come to what a sequential reference comes to, exactly after their critical path: ${sort}`, async () => {
      const seeds = sampleSeeded(range(plansOfEachSort), 500);
      let stopped = 0;
      for (const seed of seeds) {
        const plan = planOf(seed, { mayStop, mayTimeOut: true });
        const engine = createEngine();
        const outcome = await run(plan, engine);
        const reference = referenceRun(
          plan,
          {},
          { perform: pretendActivity, signals: comingSignals },
        );
        expect({ seed, ...withoutText(outcome), endMs: engine.nowMs }).toEqual({
          seed,
          ...reference,
        });
        if (outcome.kind === 'failed') stopped += 1;
      }
      expect(stopped > 0).toBe(mayStop);
    });
  }

  it('come to the same with few workers, only later', async () => {
    for (const seed of sampleSeeded(range(plansOfEachSort), 200)) {
      const plan = planOf(seed, { mayStop: false, mayTimeOut: false });
      const [free, bounded] = [createEngine(), createEngine()];
      const outcome = await run(plan, free);
      const scope = bounded.openScope();
      const same = await interpret({ plan: compilePlan(plan), input: {} }, scope, {
        ...unlimited,
        maxParallel: 2,
      });
      expect(same).toEqual(outcome);
      expect(bounded.nowMs).toBeGreaterThanOrEqual(free.nowMs);
      expect([...bounded.askedKeys.keys()].sort()).toEqual([...free.askedKeys.keys()].sort());
    }
  });

  it('come to the same after a crash at any point, and ask for no key with another input', async () => {
    for (const seed of sampleSeeded(range(crashedPlans), 40)) {
      const plan = planOf(seed, { mayStop: seed % 2 === 0, mayTimeOut: seed % 2 === 0 });
      const whole = createEngine();
      const outcome = await run(plan, whole, { isOneByOne: true });
      for (let crashAtNext = 1; ; crashAtNext += 1) {
        const engine = createEngine();
        try {
          await run(plan, engine, { isOneByOne: true, crashAtNext });
          break;
        } catch (error) {
          expect(error).toBeInstanceOf(Crashed);
        }
        const resumed = await run(plan, engine, { isOneByOne: true });
        // What was under way started again and took longer, which matters only where a failure stops the run or a wait times out.
        if (seed % 2 === 1) expect(resumed).toEqual(outcome);
        const once = createEngine();
        once.entries.push(...engine.entries);
        once.signals.push(...engine.signals);
        expect(await run(plan, once)).toEqual(resumed);
        expect(once.entries).toEqual(engine.entries);
      }
    }
  });

  it('look in their projection as they came out', async () => {
    for (const seed of sampleSeeded(range(plansOfEachSort), 60)) {
      const plan = planOf(seed, { mayStop: true, mayTimeOut: true });
      const engine = createEngine();
      const outcome = await run(plan, engine);
      const seen = await projectRun({
        runId: 'memory',
        plan: compilePlan(plan),
        input: {},
        maxItems: 10_000,
        entries: engine.entries,
        signals: engine.signals,
      });
      expect(seen.outcome).toEqual(outcome);
      expect(seen.waitingFor).toEqual([]);
      const statuses = new Set([...seen.steps.values()].map(({ status }) => status));
      expect(statuses.has('running') || statuses.has('waiting')).toBe(false);
    }
  });
});

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function planOf(seed: number, sort: { mayStop: boolean; mayTimeOut: boolean }): Plan {
  const random = seededRandom(seed * 2 + Number(sort.mayStop));
  return planSchema.parse(randomPlan(random, { size: 1 + Math.floor(random() * 30), ...sort }));
}

function createEngine(): MemoryEngine {
  const engine = new MemoryEngine(pretendActivity);
  for (const [name, { payload, atMs }] of Object.entries(comingSignals)) {
    engine.signalAt(atMs, { name, payload });
  }
  return engine;
}

async function run(
  plan: Plan,
  engine: MemoryEngine,
  options: { crashAtNext?: number; isOneByOne?: boolean } = {},
): Promise<RunOutcome> {
  return await interpret(
    { plan: compilePlan(plan), input: {} },
    engine.openScope(options),
    unlimited,
  );
}

/** As the reference says it. */
function withoutText(outcome: RunOutcome): Record<string, unknown> {
  if (outcome.kind === 'succeeded') return { kind: 'succeeded', output: outcome.output.value };
  return { kind: 'failed', step: outcome.step, code: outcome.error.code };
}
