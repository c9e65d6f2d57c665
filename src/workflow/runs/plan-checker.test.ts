import { describe, expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import type { PlanSource } from '../../contract/run/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import { createPlanChecker } from './plan-checker.ts';

const tool: Tool = { name: 'echo', inputSchema: { type: 'object' } };

function aDesk() {
  const scene = { state: {}, lookedUp: 0, read: 0, inner: 'steps: [{ id: a, sleep: 1 }]' };
  const desk = createPlanChecker({
    tools: async () => ({
      state: scene.state,
      names: () => ['test.echo'],
      find: (name) => {
        scene.lookedUp += 1;
        return name === 'test.echo' ? tool : undefined;
      },
    }),
    limits: { maxSteps: 10, maxItems: 10 },
    policy: 'plan',
    readFile: async () => {
      scene.read += 1;
      return scene.inner;
    },
  });
  const check = (source: PlanSource, optimize = false) =>
    desk.check(localCaller, source, { optimize });
  return { scene, check };
}

const data = (plan: unknown): PlanSource => ({ kind: 'data', plan });
const call = { steps: [{ id: 'a', tool: 'test.echo', args: { n: 1 } }] };

describe('a plan that was found good', () => {
  it('is not checked again, and is the same plan for all its runs', async () => {
    const { scene, check } = aDesk();
    const first = await check(data(call));
    const { lookedUp } = scene;
    const second = await check(data(structuredClone(call)));
    expect(first.ok).toBe(true);
    expect(second.plan).toBe(first.plan);
    expect(scene.lookedUp).toBe(lookedUp);
  });

  it('is checked again when the tools have changed', async () => {
    const { scene, check } = aDesk();
    await check(data(call));
    const { lookedUp } = scene;
    scene.state = {};
    await check(data(call));
    expect(scene.lookedUp).toBeGreaterThan(lookedUp);
  });

  it('is not taken for one that only JSON would make the same', async () => {
    const { check } = aDesk();
    const withArgs = (n: unknown) => data({ steps: [{ id: 'a', tool: 'test.echo', args: { n } }] });
    expect((await check(withArgs(null))).ok).toBe(true);
    expect((await check(withArgs(Number.NaN))).ok).toBe(false);
  });

  it('is read again where a part of it lies in a file', async () => {
    const { scene, check } = aDesk();
    const source = {
      kind: 'text',
      text: 'steps: [{ id: o, plan: i.yaml }]',
      file: 'p.yaml',
    } as const;
    expect((await check(source)).ok).toBe(true);
    scene.inner = 'steps: [{ id: a, tool: test.none }]';
    expect((await check(source)).ok).toBe(false);
    expect(scene.read).toBe(2);
  });
});

it('a plan that was found bad is looked at again', async () => {
  const { scene, check } = aDesk();
  const bad = data({ steps: [{ id: 'a', tool: 'test.none' }] });
  await check(bad);
  const { lookedUp } = scene;
  expect((await check(bad)).ok).toBe(false);
  expect(scene.lookedUp).toBeGreaterThan(lookedUp);
});
