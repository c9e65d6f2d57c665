import { describe, expect, it } from 'vitest';
import { planSchema, type Plan } from '../../contract/plan/index.ts';
import { InvalidPlanError } from '../errors.ts';
import { compilePlan } from './compile-plan.ts';
import { parseDuration } from './read-step.ts';

function aPlan(steps: readonly unknown[], more: object = {}): Plan {
  return planSchema.parse({ steps, ...more });
}

function problemsOf(plan: Plan): readonly { code: string; path: string; message: string }[] {
  try {
    compilePlan(plan);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidPlanError)) throw error;
    const { errors } = Object(error.details);
    return errors;
  }
}

describe('compiling a plan', () => {
  it('finds the edges in arguments, conditions, lists, inputs, pauses and lookups', () => {
    const { steps, ends } = compilePlan(
      aPlan([
        { id: 'a', tool: 's.t' },
        { id: 'args', tool: 's.t', args: { x: ['${a.x}', '${a.y}'] } },
        { id: 'when', tool: 's.t', when: '${a.x} == 1' },
        { id: 'each', tool: 's.t', forEach: '${args.list}', args: { x: '${item} ${index}' } },
        { id: 'inner', plan: { steps: [{ id: 'a', wait: 'go' }] }, input: { x: '${when.x}' } },
        { id: 'pause', sleep: '${a.ms}' },
        {
          id: 'once',
          tool: 's.t',
          reconcile: { tool: 's.find', args: { x: '${pause.x}' }, happened: '${result.found}' },
        },
      ]),
    );
    const needs = steps.map((step) => step.needs.map((index) => steps[index]?.id));
    expect(needs).toEqual([[], ['a'], ['a'], ['args'], ['when'], ['a'], ['pause']]);
    expect(steps[0]?.neededBy).toEqual([1, 2, 5]);
    expect(ends.map((index) => steps[index]?.id)).toEqual(['each', 'inner', 'once']);
    expect(steps.map((step) => step.kind)).toEqual([
      'call',
      'call',
      'call',
      'call',
      'plan',
      'sleep',
      'call',
    ]);
  });

  it('knows the other kinds of steps', () => {
    const { steps } = compilePlan(
      aPlan([
        { id: 'w', wait: 'go' },
        { id: 'v', wait: { signal: 'go', timeoutMs: 5 } },
        { id: 'g', approval: true },
      ]),
    );
    expect(steps).toMatchObject([
      { kind: 'wait', signal: 'go', timeoutMs: undefined },
      { kind: 'wait', signal: 'go', timeoutMs: 5 },
      { kind: 'gate' },
    ]);
  });

  it('makes one attempt without `retry`, and as many as a number says', () => {
    const usual = { backoffMs: 1_000, factor: 2, maxBackoffMs: 60_000, jitter: 0.2 };
    const { steps } = compilePlan(
      aPlan([
        { id: 'a', tool: 's.t' },
        { id: 'b', tool: 's.t', retry: 4 },
        { id: 'c', tool: 's.t', retry: { backoffMs: 5 } },
      ]),
    );
    expect(steps.map((step) => step.retry)).toEqual([
      { attempts: 1, ...usual },
      { attempts: 4, ...usual },
      { attempts: 3, ...usual, backoffMs: 5 },
    ]);
  });

  it('collects the defaults of the inputs, and reads the output', () => {
    const input = { who: { type: 'string', default: 'Ann' }, n: { type: 'number' } };
    const plan = aPlan(
      [{ id: 'a', tool: 's.t', args: { who: '${input.who}', run: '${run.id}' } }],
      {
        input,
        output: { x: '${a.x}' },
      },
    );
    const { inputDefaults, output, ends } = compilePlan(plan);
    expect(inputDefaults).toEqual({ who: 'Ann' });
    expect(output?.references).toEqual([{ root: 'a', path: ['x'] }]);
    expect(ends).toEqual([0]);
  });

  it.each([
    [{ args: { x: ['${b.x}'] } }, 'plan.unknown_reference', 'steps[0].args.x[0]'],
    [{ args: { x: '${item}' } }, 'plan.unknown_reference', 'steps[0].args.x'],
    [{ args: { x: '${result.x}' } }, 'plan.unknown_reference', 'steps[0].args.x'],
    [{ args: { x: '${run.name}' } }, 'plan.unknown_reference', 'steps[0].args.x'],
    [{ args: { x: '${input.x}' } }, 'plan.unknown_input', 'steps[0].args.x'],
    [{ args: { 'odd one': '${x' } }, 'plan.bad_reference', 'steps[0].args["odd one"]'],
    [{ tool: '${x}' }, 'plan.bad_reference', 'steps[0].tool'],
    [{ when: 'x' }, 'plan.bad_condition', 'steps[0].when'],
    [{ when: '${item.x}' }, 'plan.unknown_reference', 'steps[0].when'],
    [{ forEach: 'a, b' }, 'plan.wrong_value', 'steps[0].forEach'],
    [{ args: { x: '${a.x}' } }, 'plan.cycle', 'steps[0]'],
    [
      { reconcile: { tool: 's.t', happened: '${a.x}' } },
      'plan.unknown_reference',
      'steps[0].reconcile.happened',
    ],
  ])('refuses %j', (fields, code, path) => {
    expect(problemsOf(aPlan([{ id: 'a', tool: 's.t', ...fields }]))).toMatchObject([
      { code, path },
    ]);
  });

  it('refuses a wrong pause, a signal with references and a wrong output', () => {
    const plan = aPlan(
      [
        { id: 'a', sleep: '5 parsecs' },
        { id: 'b', wait: { signal: 'x${a}' } },
        { id: 'c', plan: { steps: [{ id: 'd', tool: 's.t', args: { x: '${a.x}' } }] } },
      ],
      { output: ['${aa}', '${'] },
    );
    expect(problemsOf(plan).map(({ code, path }) => [code, path])).toEqual([
      ['plan.wrong_value', 'steps[0].sleep'],
      ['plan.bad_reference', 'steps[1].wait.signal'],
      ['plan.unknown_reference', 'steps[2].plan.steps[0].args.x'],
      ['plan.bad_reference', 'output[1]'],
      ['plan.unknown_reference', 'output[0]'],
    ]);
  });

  it('proposes the step or input that was meant', () => {
    const input = { language: { type: 'string' } };
    const args = { x: '${reviev.x} ${input.langauge}' };
    const plan = aPlan(
      [
        { id: 'review', tool: 's.t' },
        { id: 'b', tool: 's.t', args },
      ],
      { input },
    );
    const [step, value] = problemsOf(plan);
    expect(step?.message).toContain('Did you mean "review"?');
    expect(value?.message).toContain('Did you mean "language"?');
  });

  it('names each circle once, and not what only comes after it', () => {
    const step = (id: string, need: string) => ({ id, tool: 's.t', args: { x: `\${${need}.x}` } });
    const plan = aPlan([
      step('a', 'b'),
      step('b', 'c'),
      step('c', 'a'),
      step('after', 'c'),
      step('x', 'y'),
      step('y', 'x'),
    ]);
    const found = problemsOf(plan);
    expect(found.map(({ code }) => code)).toEqual(['plan.cycle', 'plan.cycle']);
    expect(found[0]?.message).toContain('a needs b needs c needs a');
    expect(found[1]?.message).toContain('x needs y needs x');
  });

  it('takes 10,000 steps in a row, and a circle of as many', () => {
    const chain = (last: string) =>
      aPlan(
        Array.from({ length: 10_000 }, (_, index) => ({
          id: `s${index}`,
          tool: 's.t',
          args: { x: index === 0 ? last : `\${s${index - 1}.x}` },
        })),
      );
    expect(compilePlan(chain('start')).ends).toEqual([9_999]);
    expect(problemsOf(chain('${s9999.x}'))).toMatchObject([{ code: 'plan.cycle' }]);
  });
});

describe('a duration', () => {
  it.each([
    [1500, 1500],
    ['1500', 1500],
    ['500ms', 500],
    ['1.5s', 1500],
    [' 5 m ', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['99999d', undefined],
    ['-1s', undefined],
    ['soon', undefined],
    [-1, undefined],
    [null, undefined],
    [['1s'], undefined],
  ])('%j is %j ms', (value, ms) => {
    expect(parseDuration(value)).toBe(ms);
  });
});
