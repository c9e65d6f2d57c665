import { describe, expect, it } from 'vitest';
import { planSchema, type Json, type Plan } from '../../contract/plan/index.ts';
import { compilePlan } from '../plan/index.ts';
import { referenceRun, type TimedActivity } from '../../../testkit/workflow/index.ts';
import { someTools } from '../../../testkit/workflow/check/some-tools.ts';
import { optimizePlan } from './optimize-plan.ts';

const optimize = (plan: object) => optimizePlan(compilePlan(planSchema.parse(plan)), someTools);
const ids = (plan: Plan): string[] => plan.steps.map(({ id }) => id);
const make = (id: string, args: object = {}, more: object = {}): object => ({
  id,
  tool: 'pure.make',
  args,
  ...more,
});

describe('dead steps', () => {
  it('are dropped, with all that only they needed', () => {
    const { plan, changes } = optimize({
      steps: [make('a'), make('b', { x: '${a}' }), make('c', { x: 'c' }), make('d', { y: '${b}' })],
      output: '${c}',
    });
    expect(ids(plan)).toEqual(['c']);
    expect(changes).toEqual([
      'Dropped step "d": pure.make is read-only and nothing needs its output.',
      'Dropped step "b": pure.make is read-only and nothing needs its output.',
      'Dropped step "a": pure.make is read-only and nothing needs its output.',
    ]);
  });

  it('are dropped within sub-plans', () => {
    const inner = { steps: [make('a'), make('b', { b: 1 })], output: '${a}' };
    const { plan, changes } = optimize({ steps: [{ id: 'sub', plan: inner }] });
    expect(changes).toEqual([
      'Dropped step "sub/b": pure.make is read-only and nothing needs its output.',
    ]);
    expect(plan.steps[0]?.plan).toMatchObject({ steps: [{ id: 'a' }] });
  });

  it.each<[string, object]>([
    ['an effect', { id: 'x', tool: 'world.send' }],
    ['an effect that says it is none', { id: 'x', tool: 'world.send', effect: 'read' }],
    ['a read that says it is an effect', { id: 'x', tool: 'pure.make', effect: 'once' }],
    ['an approval', { id: 'x', tool: 'pure.make', approval: true }],
    ['a repair', { id: 'x', tool: 'pure.make', onFailure: 'repair' }],
    ['a sleep', { id: 'x', sleep: 1 }],
    ['a wait', { id: 'x', wait: 'answer' }],
    ['a gate', { id: 'x', approval: true }],
    ['a tool nobody knows', { id: 'x', tool: 'no.where' }],
  ])('are kept when they are %s', (_what, step) => {
    const plan = { steps: [make('a', { a: 1 }), step], output: '${a}' };
    expect(optimize(plan).changes).toEqual([]);
  });

  it('are kept without an explicit output, and never all of them are dropped', () => {
    expect(optimize({ steps: [make('a'), make('b', { b: 1 })] }).changes).toEqual([]);
    expect(
      optimize({ steps: [make('a'), make('b', { b: 1 })], output: 'done' }).plan.steps,
    ).toHaveLength(1);
  });

  it('are kept where a condition needs them', () => {
    expect(
      optimize({
        steps: [make('a'), make('b', { b: 1 }, { when: '${a.text} == "x"' })],
        output: '${b}',
      }).changes,
    ).toEqual([]);
  });
});

describe('the same read-only call twice', () => {
  it('is made once, and what referred to the second refers to the first', () => {
    const { plan, changes } = optimize({
      steps: [
        make('a', { x: 1, y: [2] }),
        { id: 'b', title: 'again', tool: 'pure.make', args: { y: [2], x: 1 } },
        make(
          'c',
          { t: 'is ${b.text}, $${b.text}, ${b["text"]}', l: ['${b}'] },
          { when: 'exists(${b}) && ${a.text} != "x"' },
        ),
      ],
      output: { first: '${a.text}', second: '${b.text}', third: '${c}' },
    });
    expect(changes).toEqual([
      'Merged step "b" into "a": both are the same read-only call of pure.make.',
    ]);
    expect(plan.steps[1]).toMatchObject({
      id: 'c',
      args: { t: 'is ${a.text}, $${b.text}, ${a.text}', l: ['${a}'] },
      when: 'exists(${a}) && ${a.text} != "x"',
    });
    expect(plan.output).toEqual({ first: '${a.text}', second: '${a.text}', third: '${c}' });
  });

  it('is seen where it becomes the same by an earlier merge', () => {
    const { plan } = optimize({
      steps: [make('d', { x: '${b}' }), make('c', { x: '${a}' }), make('a'), make('b')],
      output: ['${c}', '${d}'],
    });
    expect(plan.steps).toHaveLength(2);
  });

  it.each<[string, object, object]>([
    ['other arguments', make('a', { x: 1 }), make('b', { x: 2 })],
    ['another condition', make('a'), make('b', {}, { when: false })],
    ['another forEach', make('a', {}, { forEach: [1] }), make('b', {}, { forEach: [2] })],
    ['another way to fail', make('a'), make('b', {}, { onFailure: 'skip' })],
    ['an approval', make('a', {}, { approval: true }), make('b', {}, { approval: true })],
    [
      'a result that differs from call to call',
      { id: 'a', tool: 'pure.dice' },
      { id: 'b', tool: 'pure.dice' },
    ],
    ['an effect', { id: 'a', tool: 'world.put' }, { id: 'b', tool: 'world.put' }],
  ])('is not what has %s', (_what, first, second) => {
    expect(optimize({ steps: [first, second], output: ['${a}', '${b}'] }).changes).toEqual([]);
  });

  it('keeps both where a plan without output returns them by name', () => {
    expect(optimize({ steps: [make('a'), make('b')] }).changes).toEqual([]);
    const used = {
      steps: [make('a'), make('b'), make('c', { a: '${a}' }), make('d', { b: '${b}' })],
    };
    expect(ids(optimize(used).plan)).toEqual(['a', 'c', 'd']);
  });
});

it('rewrites every place a reference can stand in', () => {
  const { plan } = optimize({
    steps: [
      make('a'),
      make('b'),
      { id: 'c', sleep: '${b.text}', when: '${b.text} == "x"' },
      {
        id: 'd',
        tool: 'world.send',
        forEach: '${b.text}',
        reconcile: { tool: 'pure.make', args: { k: '${b}' }, happened: '${result.text} == "x"' },
      },
      { id: 'e', tool: 'world.send', forEach: ['${b}'] },
      { id: 'g', approval: { message: 'Is ${b.text} right?' } },
      {
        id: 'f',
        plan: { input: { x: {} }, steps: [make('b', { x: '${input.x}' })] },
        input: { x: '${b}' },
      },
    ],
    output: ['${a}', '${b}', 5, null, { k: '${f.b}' }],
  });
  const { steps, output } = plan;
  expect(JSON.stringify(steps.filter(({ id }) => id !== 'f'))).not.toContain('${b');
  expect(steps.at(-1)).toMatchObject({ input: { x: '${a}' }, plan: { steps: [{ id: 'b' }] } });
  expect(output).toEqual(['${a}', '${a}', 5, null, { k: '${f.b}' }]);
  expect(() => compilePlan(plan)).not.toThrow();
});

describe('a plan and the same plan optimized', () => {
  const perform: TimedActivity = ({ input }) => {
    const { tool, args } = Object(input);
    const value: Json = { text: `${tool}(${JSON.stringify(args.value)})` };
    return {
      value: { kind: 'succeeded', held: { value }, startedAt: 0, endedAt: 0 },
      durationMs: 1,
    };
  };
  /** What the world outside saw: calls with effects, in no order. */
  function run(plan: Plan): { output: Json | string; effects: string[] } {
    const effects: string[] = [];
    const result = referenceRun(
      plan,
      {},
      {
        signals: {},
        perform: (request) => {
          const { tool, args } = Object(request.input);
          if (String(tool).startsWith('world.')) effects.push(`${tool} ${JSON.stringify(args)}`);
          return perform(request);
        },
      },
    );
    return {
      output: result.kind === 'succeeded' ? result.output : result.code,
      effects: effects.sort(),
    };
  }

  function randomPlan(seed: number): Plan {
    let state = seed;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % below;
    };
    const toolNames = ['pure.make', 'pure.make', 'pure.make', 'pure.dice', 'world.send'];
    const steps = Array.from({ length: 2 + random(10) }, (_, index) => {
      const before = index === 0 ? undefined : `s${random(index)}`;
      return {
        id: `s${index}`,
        tool: toolNames[random(toolNames.length)],
        args:
          before === undefined || random(2) === 0
            ? { n: random(2) }
            : { from: `it is \${${before}}` },
        ...(before !== undefined && random(5) === 0 && { when: `exists(\${${before}.text})` }),
        ...(before !== undefined && random(8) === 0 && { when: `\${${before}.text} == "never"` }),
        ...(random(6) === 0 && { forEach: [1, 2] }),
      };
    });
    const output =
      random(4) === 0
        ? undefined
        : { one: `\${s${random(steps.length)}}`, two: `x \${s${random(steps.length)}}` };
    return planSchema.parse({ steps, ...(output && { output }) });
  }

  it('give the same output and the same effects', () => {
    let changed = 0;
    for (let seed = 1; seed <= 1_500; seed += 1) {
      const plan = randomPlan(seed);
      const optimized = optimizePlan(compilePlan(plan), someTools);
      if (optimized.changes.length > 0) changed += 1;
      expect(run(optimized.plan), JSON.stringify(plan)).toEqual(run(plan));
      expect(optimizePlan(compilePlan(optimized.plan), someTools).changes).toEqual([]);
    }
    expect(changed).toBeGreaterThan(500);
  });
});
