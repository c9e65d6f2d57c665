import { describe, expect, it } from 'vitest';
import type { PlanSource } from '../../contract/run/index.ts';
import { inspectPlan, type InspectOptions } from './inspect-plan.ts';
import { maxProblems } from './step-place.ts';
import { someTools } from '../../../testkit/workflow/check/some-tools.ts';

const usual: InspectOptions = {
  tools: someTools,
  limits: { maxSteps: 10_000, maxItems: 10 },
  policy: 'plan',
  optimize: false,
};
const inspect = (plan: object | string, options: Partial<InspectOptions> = {}) => {
  const source: PlanSource =
    typeof plan === 'string'
      ? { kind: 'text', text: plan, file: 'a.yaml' }
      : { kind: 'data', plan };
  return inspectPlan(source, { ...usual, ...options });
};

describe('a plan that is looked at', () => {
  it('is given back as it would run, with its edges by path', async () => {
    const inner = {
      steps: [
        { id: 'c', wait: 'go' },
        { id: 'd', sleep: '${c.ms}' },
      ],
    };
    const check = await inspect({
      steps: [
        { id: 'a', tool: 'pure.make' },
        { id: 'b', plan: inner, when: 'exists(${a.text})' },
      ],
    });
    expect(check).toMatchObject({ ok: true, errors: [], warnings: [], optimizations: [] });
    expect(check.edges).toEqual([
      ['a', 'b'],
      ['b/c', 'b/d'],
    ]);
    expect(check.plan).toMatchObject({ version: 1, steps: [{ id: 'a' }, { id: 'b' }] });
  });

  it('is told what optimizing would change, and is changed only when asked', async () => {
    const plan = {
      steps: [
        { id: 'a', tool: 'pure.make' },
        { id: 'b', tool: 'pure.make', args: { x: '${a.text}' } },
      ],
      output: '${a}',
    };
    const told = await inspect(plan);
    expect(told.optimizations).toEqual([
      'Would drop step "b": pure.make is read-only and nothing needs its output.',
    ]);
    expect(told.edges).toHaveLength(1);
    const done = await inspect(plan, { optimize: true });
    expect(done.optimizations).toEqual([
      'Dropped step "b": pure.make is read-only and nothing needs its output.',
    ]);
    expect(done.plan?.steps).toHaveLength(1);
    expect(done.edges).toEqual([]);
  });

  it('is told of every kind of mistake at once, and of none that follows from another', async () => {
    const { ok, errors } = await inspect(`input:
  name: 5
nmae: x
steps:
  - id: twice
    tool: pure.make
  - id: twice
    tool: pure.mke
  - id: both
    tool: pure.make
    sleep: 1s
  - id: field
    tool: pure.make
    timeout: 5
  - id: refers
    tool: pure.make
    args: { a: "\${both.anything}", b: "\${field.anything}", c: "\${twice.text}", d: "\${input.name}" }
  - id: gone
    tool: pure.make
    args: { a: "\${nothing}" }
`);
    expect(ok).toBe(false);
    expect(errors.map(({ line, code }) => [line, code])).toEqual([
      [2, 'plan.wrong_value'],
      [3, 'plan.unknown_field'],
      [7, 'plan.duplicate_step'],
      [8, 'plan.unknown_tool'],
      [11, 'plan.step_kind'],
      [14, 'plan.unknown_field'],
      [20, 'plan.unknown_reference'],
    ]);
    expect(errors.find(({ code }) => code === 'plan.unknown_tool')?.step).toBe('twice');
  });

  it('is told of mistakes in its form and in its types at once, in the order of the file', async () => {
    const { errors } = await inspect(
      'steps:\n  - id: a\n    tool: pure.mke\n  - id: b\n    sleep: ${nothing}\n  - id: c\n    tool: pure.make\n    forEach: ${c2.list}\n',
    );
    expect(errors.map(({ line, code }) => [line, code])).toEqual([
      [3, 'plan.unknown_tool'],
      [5, 'plan.unknown_reference'],
      [8, 'plan.unknown_reference'],
    ]);
  });

  it('is told in which file of a sub-plan something is wrong', async () => {
    const { errors } = await inspect('steps:\n  - { id: a, plan: b.yaml }\n', {
      readFile: async () => 'steps:\n  - id: x\n    tool: pure.mkae\n',
    });
    expect(errors).toMatchObject([
      {
        step: 'a/x',
        file: 'b.yaml',
        line: 3,
        path: 'steps[0].plan.steps[0].tool',
        code: 'plan.unknown_tool',
      },
    ]);
  });

  it('is told of a limited number of mistakes, in bounded time', async () => {
    const steps = Array.from({ length: 10_000 }, (_, index) => ({
      id: `s${index}`,
      tool: `no.tool${index}`,
    }));
    expect((await inspect({ steps })).errors).toHaveLength(maxProblems);
    const args = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`x${index}`, 1]));
    const closed = {
      find: () => ({
        name: 'x',
        inputSchema: { properties: { y: {} }, additionalProperties: false },
      }),
      names: () => ['a.b'],
    };
    const { errors } = await inspect(
      { steps: [{ id: 'a', tool: 'a.b', args }] },
      { tools: closed },
    );
    expect(errors.length).toBeLessThanOrEqual(maxProblems);
  });
});

describe('a tool that is not there', () => {
  it('may be one of a server that could not be listed', async () => {
    const tools = {
      ...someTools,
      failureOf: (server: string) => (server === 'crm' ? 'it crashed' : undefined),
    };
    const { errors } = await inspect({ steps: [{ id: 'a', tool: 'crm.make' }] }, { tools });
    expect(errors[0]?.message).toBe(
      'The tools of server "crm" could not be listed, so "crm.make" cannot be checked: it crashed. See "tutti servers"',
    );
  });

  it.each([
    ['pure.mkae', 'There is no tool "pure.mkae". Did you mean "pure.make"?'],
    ['pure__make', 'There is no tool "pure__make". Did you mean "pure.make"?'],
    ['send', 'There is no tool "send". Did you mean "world.send"?'],
    [
      'pure.transmogrify',
      'There is no tool "pure.transmogrify". Server "pure" has: pure.make, pure.dice',
    ],
    [
      'far.away_from_here',
      'There is no tool "far.away_from_here", and no server "far". "tutti tools" lists what there is',
    ],
  ])('%s', async (tool, message) => {
    const { errors } = await inspect({ steps: [{ id: 'a', tool }] });
    expect(errors.map((problem) => problem.message)).toEqual([message]);
  });
});

describe('approval', () => {
  it.each<[InspectOptions['policy'], string, boolean]>([
    ['plan', 'world.send', false],
    ['destructive', 'world.send', true],
    ['destructive', 'world.put', false],
    ['effects', 'world.put', true],
    ['effects', 'pure.dice', false],
  ])('where %s asks for it, %s needs it: %s', async (policy, tool, isNeeded) => {
    const without = await inspect({ steps: [{ id: 'a', tool }] }, { policy });
    expect(without.errors.map(({ code }) => code)).toEqual(isNeeded ? ['plan.needs_approval'] : []);
    const asked = await inspect(
      { steps: [{ id: 'a', tool, approval: { message: 'ok?' } }] },
      { policy },
    );
    expect(asked.ok).toBe(true);
  });
});

describe('types that come from the plan itself', () => {
  it('know the elements of a long literal list by their kinds', async () => {
    const numbers = Array.from({ length: 150 }, (_, index) => index);
    const tools = {
      find: () => ({ name: 'x', inputSchema: { properties: { text: { type: 'string' } } } }),
      names: () => ['a.b'],
    };
    const limits = { maxSteps: 10, maxItems: 1_000 };
    const step = { id: 'a', tool: 'a.b', forEach: numbers, args: { text: '${item}' } };
    const { errors } = await inspect({ steps: [step] }, { tools, limits });
    expect(errors.map(({ code }) => code)).toEqual(['plan.type_mismatch']);
    const words = { ...step, forEach: numbers.map(String) };
    expect((await inspect({ steps: [words] }, { tools, limits })).ok).toBe(true);
  });

  it('let the output of a sub-plan be null, because what was skipped is', async () => {
    const plan = {
      steps: [{ id: 'x', tool: 'pure.make', when: false }],
      output: { text: '${x.text}', list: ['${x.text}', 1], deep: { n: 5 } },
    };
    const good = await inspect({
      steps: [
        { id: 'sub', plan },
        {
          id: 'b',
          sleep: 1,
          when: '${sub.text} == null || ${sub.list[0]} == "a" || ${sub.deep.n} == 5',
        },
      ],
    });
    expect([...good.errors, ...good.warnings]).toEqual([]);
    const bad = await inspect({
      steps: [
        { id: 'sub', plan },
        { id: 'b', sleep: 1, when: '${sub.deep.m} == 5' },
      ],
    });
    expect(bad.errors.map(({ code }) => code)).toEqual(['plan.unknown_output']);
  });
});

describe('what a plan says about repeating a call', () => {
  it.each([
    ['world.once', 'idempotent', 'counts as "once"'],
    ['world.once', 'read', 'counts as "once"'],
    ['world.put', 'read', 'counts as "idempotent"'],
    ['world.put', 'idempotent', undefined],
    ['world.send', 'idempotent', undefined],
    ['world.once', 'once', undefined],
  ])('of %s with "effect: %s" is held against what the tool says', async (tool, effect, said) => {
    const { warnings } = await inspect({ steps: [{ id: 'a', tool, effect }] });
    expect(warnings.map(({ code, path }) => [code, path])).toEqual(
      said === undefined ? [] : [['plan.effect_denied', 'steps[0].effect']],
    );
    if (said !== undefined) expect(warnings[0]?.message).toContain(said);
  });
});
