import { describe, expect, it } from 'vitest';
import type { Json } from '../../contract/plan/index.ts';
import type { Held } from '../engine/activity-data.ts';
import { call, echo, runSteps, type Script } from '../../../testkit/workflow/index.ts';

const artifact = { id: 'sha256:big', bytes: 100_000, mediaType: 'application/json' };

describe('forEach', () => {
  it('gives a list in the order of the elements, whichever ends first', async () => {
    const durationsMs = { 'f[0]': 300, 'f[1]': 200, 'f[2]': 100 };
    const step = call('f', { item: '${item}', at: '${index}' }, { forEach: '${input.list}' });
    const { output, engine } = await runSteps([step], {
      input: { list: ['a', 'b', 'c'] },
      durationsMs,
    });
    const list = [
      { item: 'a', at: 0 },
      { item: 'b', at: 1 },
      { item: 'c', at: 2 },
    ];
    expect(output).toEqual({ f: list });
    expect(engine.nowMs).toBe(300);
  });

  it('has as many elements under way as the step says', async () => {
    const step = call('f', {}, { forEach: [1, 2, 3, 4, 5], concurrency: 2 });
    expect((await runSteps([step])).engine.nowMs).toBe(3_000);
  });

  it('is over at once for an empty list, and refuses what is no list or too long', async () => {
    expect((await runSteps([call('f', {}, { forEach: [] })])).output).toEqual({ f: [] });
    const over = call('f', {}, { forEach: '${input.x}' });
    for (const x of [null, { a: 1 }, 'text', 5]) {
      expect((await runSteps([over], { input: { x } })).error).toBe('workflow.not_a_list');
    }
    expect((await runSteps([over], { input: { x: [1, 2, 3] }, maxItems: 2 })).error).toBe(
      'workflow.too_many_items',
    );
  });

  it('is not repaired by other arguments when its list is none', async () => {
    const step = call('f', {}, { forEach: '${input.x}', onFailure: 'repair' });
    expect((await runSteps([step], { input: { x: 5 } })).error).toBe('workflow.not_a_list');
  });

  it('leaves null for an element that failed and may be skipped, else stops', async () => {
    const tools: Script['tools'] = {
      'test.odd': ({ args }) =>
        (args.value as { n: number }).n % 2 === 0 ? { fails: 'test.even' } : args,
    };
    const step = {
      id: 'f',
      tool: 'test.odd',
      args: { n: '${item}' },
      forEach: [1, 2, 3],
      concurrency: 1,
    };
    expect((await runSteps([{ ...step, onFailure: 'skip' }], { tools })).output).toEqual({
      f: [{ n: 1 }, null, { n: 3 }],
    });
    const { outcome, engine } = await runSteps([step], { tools });
    expect(outcome).toMatchObject({ step: 'f[1]', error: { code: 'test.even' } });
    expect(engine.askedKeys.size).toBe(2);
  });

  it('goes through thousands of elements that fail one after the other', async () => {
    const forEach = Array.from({ length: 12_000 }, (_, index) => index);
    const step = call(
      'f',
      { of: '${item.nothing}' },
      { forEach, concurrency: 1, onFailure: 'skip' },
    );
    const { output } = await runSteps([step], { maxItems: 100_000 });
    expect((output as { f: Json[] }).f.length).toBe(12_000);
  });
});

describe('plans within plans', () => {
  const inner = {
    input: { x: {} },
    steps: [call('twice', { a: '${input.x}' })],
    output: '${twice.a}',
  };

  it('run with their own names and give their output', async () => {
    const steps = [call('twice', { x: 5 }), { id: 'sub', plan: inner, input: { x: '${twice.x}' } }];
    const { output, engine } = await runSteps(steps);
    expect(output).toEqual({ sub: 5 });
    expect([...engine.askedKeys.keys()]).toEqual(['twice#1', 'sub/twice#1']);
  });

  it('run for each element of a list, within each other', async () => {
    const outer = {
      input: { list: {} },
      steps: [{ id: 'in', plan: inner, input: { x: '${item}' }, forEach: '${input.list}' }],
      output: '${in}',
    };
    const { output, engine } = await runSteps([
      { id: 'out', plan: outer, input: { list: '${item}' }, forEach: [[1], [2, 3]] },
    ]);
    expect(output).toEqual({ out: [[1], [2, 3]] });
    expect([...engine.askedKeys.keys()]).toEqual([
      'out[0]/in[0]/twice#1',
      'out[1]/in[0]/twice#1',
      'out[1]/in[1]/twice#1',
    ]);
  });

  it('fail alone where the step that runs them may be skipped, and end what sleeps in them', async () => {
    const failing = {
      steps: [
        { id: 'bad', tool: 'test.none' },
        { id: 'nap', sleep: '1h' },
      ],
    };
    const { output, engine } = await runSteps([
      { id: 'sub', plan: failing, onFailure: 'skip' },
      { id: 'long', sleep: '2h' },
    ]);
    expect(output).toEqual({ long: null });
    expect(engine.nowMs).toBe(7_200_000);
    const stopped = await runSteps([{ id: 'sub', plan: failing }]);
    expect([stopped.outcome, stopped.engine.nowMs]).toMatchObject([{ step: 'sub/bad' }, 1_000]);
  });

  it('stop with the plan around them', async () => {
    const twoSteps = { steps: [call('a'), call('b', { of: '${a}' })] };
    const steps = [
      { id: 'bad', tool: 'test.none' },
      { id: 'sub', plan: twoSteps },
    ];
    const { outcome, engine } = await runSteps(steps, { durationsMs: { bad: 1 } });
    expect(outcome).toMatchObject({ kind: 'failed', step: 'bad' });
    expect([...engine.askedKeys.keys()]).toEqual(['bad#1', 'sub/a#1']);
  });

  it('fail the step that runs them when their output refers to nothing', async () => {
    const plan = { steps: [call('a')], output: '${a.nothing}' };
    expect((await runSteps([{ id: 'sub', plan }])).outcome).toMatchObject({
      step: 'sub',
      error: { code: 'plan.reference_to_nothing' },
    });
  });
});

describe('values in artifacts', () => {
  const place = (...path: (string | number)[]): Held => ({ artifact, path });
  const tools: Script['tools'] = { ...echo, 'test.big': () => ({ held: place() }) };
  const big = { id: 'big', tool: 'test.big' };

  it('are referred to without being loaded', async () => {
    const { outcome } = await runSteps([big], {
      tools,
      output: { part: '${big.a[2]}', text: 'see ${big.b}' },
    });
    expect(outcome).toEqual({
      kind: 'succeeded',
      output: {
        value: { part: null, text: null },
        holes: [
          { at: ['part'], parts: [place('a', 2)] },
          { at: ['text'], parts: ['see ', place('b')] },
        ],
      },
    });
    const whole = await runSteps([big], { tools });
    expect(whole.outcome).toMatchObject({
      output: { value: { big: null }, holes: [{ at: ['big'], parts: [place()] }] },
    });
  });

  it('have an activity look at what a condition or a list needs of them', async () => {
    const looks: Json[] = [];
    const steps = [
      big,
      call('yes', { of: '${big.x}' }, { when: '${big.n} > 5' }),
      call('each', { item: '${item.name}' }, { forEach: '${big.list}' }),
      call('no', {}, { when: '${big.n} < 5' }),
    ];
    const { outcome } = await runSteps(steps, {
      tools,
      output: { yes: '${yes}', each: '${each}', no: '${no}' },
      look: (input) => {
        looks.push(input);
        if ((input as { kind: string }).kind === 'count') return { kind: 'count', count: 2 };
        return { kind: 'condition', holds: (input as { text: string }).text.includes('>') };
      },
    });
    expect(looks).toEqual([
      { kind: 'condition', text: '${big.n} > 5', held: { big: place() } },
      { kind: 'count', list: place('list') },
      { kind: 'condition', text: '${big.n} < 5', held: { big: place() } },
    ]);
    // The tool of the test gives back its arguments without what would be filled in.
    expect(outcome).toMatchObject({
      output: { value: { yes: { of: null }, each: [{ item: null }, { item: null }], no: null } },
    });
  });

  it('fail the step when looking fails', async () => {
    const error = { code: 'artifacts.not_found', message: 'gone', details: {} };
    const steps = [big, call('s', {}, { when: '${big.n} > 5' })];
    expect((await runSteps(steps, { tools, look: () => ({ kind: 'failed', error }) })).error).toBe(
      'artifacts.not_found',
    );
  });

  it('stay what they are as elements of a list and members of a sub-plan’s output', async () => {
    const sub = { steps: [big], output: { inner: '${big}', n: 1 } };
    const { outcome } = await runSteps(
      [
        { ...big, id: 'list', forEach: [1, 2] },
        { id: 'sub', plan: sub },
        call('small', { n: '${sub.n}', many: '${list.length}' }),
        call('each', { it: '${item}' }, { forEach: '${list}' }),
        call('mixed', { it: '${item.v}' }, { forEach: [{ v: '${sub.inner.deep}' }, { v: 2 }] }),
      ],
      {
        tools,
        output: { one: '${list[1].x}', all: '${list}', deep: '${sub.inner.y}', small: '${small}' },
      },
    );
    expect(outcome).toEqual({
      kind: 'succeeded',
      output: {
        value: { one: null, all: [null, null], deep: null, small: { n: 1, many: 2 } },
        holes: [
          { at: ['one'], parts: [place('x')] },
          { at: ['all', 0], parts: [place()] },
          { at: ['all', 1], parts: [place()] },
          { at: ['deep'], parts: [place('y')] },
        ],
      },
    });
  });
});
