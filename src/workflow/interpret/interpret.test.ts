import { describe, expect, it } from 'vitest';
import { planSchema } from '../../contract/plan/index.ts';
import type { CallInput } from '../engine/activity-data.ts';
import { compilePlan } from '../plan/index.ts';
import {
  call,
  Crashed,
  echo,
  MemoryEngine,
  runSteps,
  scriptedActivity,
  type Script,
} from '../../../testkit/workflow/index.ts';
import { interpret } from './interpret.ts';

describe('a run', () => {
  it('gives what the steps nobody refers to gave, by their ids', async () => {
    const { output } = await runSteps([
      call('a', { x: 1 }),
      call('b', { of: '${a.x}' }),
      call('c'),
    ]);
    expect(output).toEqual({ b: { of: 1 }, c: {} });
  });

  it('starts a step the moment its own inputs are there, without waiting for others', async () => {
    const durationsMs = { slow: 10_000, quick: 1, after: 5 };
    const { engine, changes } = await runSteps(
      [call('slow'), call('quick'), call('after', { of: '${quick}' })],
      { durationsMs },
    );
    expect(engine.nowMs).toBe(10_000);
    expect(
      changes.find(({ path, status }) => path === 'after' && status === 'succeeded'),
    ).toMatchObject({
      startedAt: 1,
      endedAt: 6,
    });
  });

  it('has no more activities under way than it may', async () => {
    const steps = Array.from({ length: 7 }, (_, index) => call(`s${index}`));
    expect((await runSteps(steps, { maxParallel: 3 })).engine.nowMs).toBe(3_000);
  });

  it('sleeps without taking the place of an activity', async () => {
    const { engine } = await runSteps([{ id: 'nap', sleep: '2s' }, call('a'), call('b')], {
      maxParallel: 1,
    });
    expect(engine.nowMs).toBe(2_000);
  });

  it('fills in defaults of inputs, and its own id', async () => {
    const plan = compilePlan(
      planSchema.parse({
        input: { name: { type: 'string', default: 'world' }, other: {} },
        steps: [call('a', { text: 'hello ${input.name} ${input.other} ${run.id}' })],
      }),
    );
    const engine = new MemoryEngine(scriptedActivity({ tools: echo }));
    const planned = { plan, input: { other: 2 } };
    const outcome = await interpret(planned, engine.openScope(), { maxParallel: 9, maxItems: 9 });
    expect(outcome).toEqual({
      kind: 'succeeded',
      output: { value: { a: { text: 'hello world 2 memory' } } },
    });
  });

  it('hands the details of a step on to the call', async () => {
    const calls: CallInput[] = [];
    const look = {
      tool: 'test.find',
      args: { id: '${a.x}' },
      happened: '${result.found}',
      output: 1,
    };
    const more = { effect: 'once', timeoutMs: 5, cache: { ttlMs: 7 }, reconcile: look };
    await runSteps(
      [
        call('a', { x: 1 }),
        { id: 'b', tool: 'test.note', args: {}, ...more },
        call('c', {}, { cache: true }),
      ],
      {
        tools: {
          'test.echo': (input) => (calls.push(input), { value: input.args.value }),
          'test.note': (input) => (calls.push(input), { value: null }),
        },
      },
    );
    expect(calls).toMatchObject([
      { step: 'a' },
      { step: 'c', cache: { ttlMs: null } },
      {
        step: 'b',
        attempt: 1,
        effect: 'once',
        timeoutMs: 5,
        cache: { ttlMs: 7 },
        reconcile: {
          tool: 'test.find',
          args: { value: { id: 1 } },
          happened: '${result.found}',
          output: 1,
        },
      },
    ]);
  });

  it('passes on what the engine throws', async () => {
    const engine = new MemoryEngine(scriptedActivity({ tools: echo }));
    const plan = compilePlan(planSchema.parse({ steps: [call('a')] }));
    const scope = engine.openScope({ crashAtNext: 1 });
    await expect(
      interpret({ plan, input: {} }, scope, { maxParallel: 1, maxItems: 1 }),
    ).rejects.toThrow(Crashed);
  });
});

describe('skipping', () => {
  it('spreads to what needs a skipped step, but not to what only asks about it', async () => {
    const { output } = await runSteps([
      call('off', {}, { when: '1 > 2' }),
      call('needs', { of: '${off}' }),
      call('further', { of: '${needs}' }),
      call('asks', { x: 1 }, { when: '!exists(${off})' }),
    ]);
    expect(output).toEqual({ asks: { x: 1 } });
  });

  it('goes through thousands of steps in a row', async () => {
    const length = 12_000;
    const steps = Array.from({ length }, (_, index) =>
      index === 0
        ? call('s0', {}, { when: false })
        : call(`s${index}`, { of: `\${s${index - 1}}` }),
    );
    expect((await runSteps(steps)).output).toEqual({});
  });

  it('gives null for a skipped step in the output of the plan, and nothing in a text', async () => {
    const { output } = await runSteps([call('off', {}, { when: false }), call('on', { x: 1 })], {
      output: {
        deep: '${off.a.b}',
        list: ['${off}', '${on.x}'],
        text: '<${off.y}${on.x}>',
        fixed: 3,
      },
    });
    expect(output).toEqual({ deep: null, list: [null, 1], text: '<1>', fixed: 3 });
  });
});

describe('a failure', () => {
  const tools: Script['tools'] = {
    ...echo,
    'test.fail': () => ({ fails: 'test.broken' }),
    'test.flaky': ({ attempt }) =>
      attempt < 3 ? { fails: 'test.busy', isRetryable: true } : { value: attempt },
  };

  it('lets finish what runs, starts nothing new, and is what the run comes to', async () => {
    const steps = [
      { id: 'bad', tool: 'test.fail' },
      call('long'),
      call('after', { of: '${long}' }),
      { id: 'nap', sleep: '1h' },
    ];
    const { outcome, engine, changes } = await runSteps(steps, {
      tools,
      durationsMs: { bad: 10, long: 500 },
    });
    expect(outcome).toMatchObject({ kind: 'failed', step: 'bad', error: { code: 'test.broken' } });
    expect(engine.nowMs).toBe(500);
    expect(changes.some(({ path }) => path === 'after')).toBe(false);
    expect(changes.at(-1)).toMatchObject({ path: 'long', status: 'succeeded' });
  });

  it('counts as skipped where the step says so', async () => {
    const steps = [
      { id: 'bad', tool: 'test.fail', onFailure: 'skip' },
      call('needs', { of: '${bad}' }),
      call('free'),
    ];
    expect((await runSteps(steps, { tools })).output).toEqual({ free: {} });
  });

  it('is tried again after growing pauses, the same ones every time', async () => {
    const retry = { attempts: 3, backoffMs: 1_000, factor: 2, jitter: 0.5 };
    const steps = [{ id: 'flaky', tool: 'test.flaky', retry }];
    const [one, two] = [await runSteps(steps, { tools }), await runSteps(steps, { tools })];
    expect(one.output).toEqual({ flaky: 3 });
    expect(one.engine.nowMs).toBe(two.engine.nowMs);
    expect(one.engine.nowMs).toBeGreaterThan(3_000 + 1_500);
    expect(one.engine.nowMs).toBeLessThan(3_000 + 3_000);
  });

  it('is tried again at once without a pause, and only as often as the step says', async () => {
    const retry = { attempts: 2, backoffMs: 0 };
    const { error, engine } = await runSteps([{ id: 'flaky', tool: 'test.flaky', retry }], {
      tools,
    });
    expect([error, engine.nowMs]).toEqual(['test.busy', 2_000]);
  });

  it('is tried again for the codes the step names, whatever else is said about them', async () => {
    const broken = {
      id: 's',
      tool: 'test.fail',
      retry: { attempts: 3, backoffMs: 0, on: ['test.*'] },
    };
    expect((await runSteps([broken], { tools })).engine.nowMs).toBe(3_000);
    const busy = {
      id: 's',
      tool: 'test.flaky',
      retry: { attempts: 3, backoffMs: 0, on: ['test.other'] },
    };
    expect((await runSteps([busy], { tools })).engine.nowMs).toBe(1_000);
  });

  it('waits for corrected arguments where the step says so, and asks for approval of those anew', async () => {
    const picky: Script['tools'] = {
      'test.picky': ({ args, approvalId }) =>
        (args.value as { ok?: boolean }).ok === true
          ? { value: approvalId ?? null }
          : { fails: 'test.picky' },
    };
    const step = {
      id: 's',
      tool: 'test.picky',
      args: { ok: false },
      onFailure: 'repair',
      approval: true,
    };
    const approved = { verdict: 'approved', by: 'me' };
    const { output, engine } = await runSteps([step], {
      tools: picky,
      signals: {
        'approval:s@0': approved,
        'repair:s:1': { args: { ok: true } },
        'approval:s@1000': approved,
      },
    });
    expect(output).toEqual({ s: 's@1000' });
    expect([...engine.askedKeys.keys()]).toEqual([
      's!ask',
      's!',
      's#1',
      's+1',
      's!ask+1',
      's!+1',
      's#2',
    ]);
  });

  it('is final when nobody corrects the arguments', async () => {
    const step = { id: 's', tool: 'test.fail', onFailure: 'repair' };
    expect((await runSteps([step], { tools, signals: { 'repair:s:1': null } })).error).toBe(
      'test.broken',
    );
  });

  it('is one of the plan where its output refers to nothing', async () => {
    const { outcome } = await runSteps([call('a')], { output: '${a.nothing}' });
    expect(outcome).toMatchObject({
      kind: 'failed',
      step: null,
      error: { code: 'plan.reference_to_nothing' },
    });
  });

  it('is one of the step whose arguments refer to nothing, before anything is called', async () => {
    const { outcome, engine } = await runSteps([call('a'), call('b', { of: '${a.nothing}' })]);
    expect(outcome).toMatchObject({ step: 'b', error: { code: 'plan.reference_to_nothing' } });
    expect([...engine.askedKeys.keys()]).toEqual(['a#1']);
  });
});

describe('an unknown outcome', () => {
  const tools: Script['tools'] = {
    'test.lost': ({ attempt }) =>
      attempt < 3 ? { unknown: 'the connection was lost' } : { value: attempt },
  };
  const steps = [{ id: 's', tool: 'test.lost' }];

  it('is settled by who looked: it happened, with the output that was found', async () => {
    const signals = { 'resolve:s': { kind: 'happened', output: { id: 7 } } };
    const { output, changes } = await runSteps(steps, { tools, signals });
    expect(output).toEqual({ s: { id: 7 } });
    expect(changes.find(({ status }) => status === 'unknown')?.error).toEqual({
      code: 'workflow.outcome_unknown',
      message: 'the connection was lost',
      details: { step: 's', effectId: 'effect of s' },
    });
  });

  it('is tried again only after each time somebody said that it has not happened', async () => {
    const signals = {
      'resolve:s': { kind: 'not-happened' },
      'resolve:s:2': { kind: 'not-happened' },
    };
    const { output, engine } = await runSteps(steps, { tools, signals });
    expect(output).toEqual({ s: 3 });
    expect([...engine.askedKeys.keys()]).toEqual(['s#1', 's?1', 's#2', 's?2', 's#3']);
    await expect(
      runSteps(steps, { tools, signals: { 'resolve:s': { kind: 'not-happened' } } }),
    ).rejects.toThrow('Nothing will ever happen');
  });

  it('is never tried again because of an answer that is none', async () => {
    const { error, engine } = await runSteps(steps, { tools, signals: { 'resolve:s': 'yes' } });
    expect([error, engine.askedKeys.size]).toEqual(['workflow.invalid_answer', 2]);
  });

  it('is left as it is in a run that has failed meanwhile', async () => {
    const both = [...steps, { id: 'bad', tool: 'test.none' }];
    const { outcome, changes } = await runSteps(both, { tools, durationsMs: { bad: 1 } });
    expect(outcome).toMatchObject({ kind: 'failed', step: 'bad' });
    expect(changes.at(-1)).toMatchObject({ path: 's', status: 'unknown' });
  });
});

describe('approvals, waits and sleeps', () => {
  const gate = { id: 'gate', approval: { message: 'Really?', expiresMs: 60_000 } };

  it('let a step go on once it is approved, with the approval in its hand', async () => {
    const calls: CallInput[] = [];
    await runSteps([gate, call('s', { of: '${gate.by}' }, { approval: true })], {
      tools: { 'test.echo': (input) => (calls.push(input), { value: 1 }) },
      signals: {
        'approval:gate@0': { verdict: 'approved', by: 'me' },
        'approval:s@0': { verdict: 'approved', by: 'me' },
      },
    });
    expect(calls).toMatchObject([{ approvalId: 's@0', args: { value: { of: 'me' } } }]);
  });

  it('ask with what the steps before gave, and wait for those', async () => {
    const asked: unknown[] = [];
    const ask = { id: 'gate', approval: { message: 'Send ${s.to} to ${input.x}, $${really}?' } };
    const each = {
      ...call('e', { of: '${item}' }),
      forEach: [7],
      approval: { message: '${item}' },
    };
    await runSteps([ask, call('s', { to: ['me'] }), each], {
      input: { x: 'you' },
      onAsk: ({ step, message }) => void asked.push([step, message]),
      signals: {
        'approval:gate@1000': { verdict: 'approved', by: 'me' },
        'approval:e[0]@0': { verdict: 'approved', by: 'me' },
      },
    });
    expect(asked).toEqual([
      ['e[0]', { value: 7 }],
      ['gate', { value: 'Send ["me"] to you, ${really}?' }],
    ]);
  });

  it('fail a step that is denied, that nobody decides about, or that could not ask', async () => {
    const denied = { 'approval:gate@0': { verdict: 'denied', by: 'boss', reason: 'too late' } };
    const { outcome } = await runSteps([gate], { signals: denied });
    expect(outcome).toMatchObject({
      error: {
        code: 'workflow.approval_denied',
        message: 'Step "gate" was not run: boss denied approval: too late',
      },
    });
    expect((await runSteps([gate], { signals: { 'approval:gate@0': 'whatever' } })).error).toBe(
      'workflow.approval_denied',
    );
    const expired = await runSteps([gate]);
    expect([expired.error, expired.engine.nowMs]).toEqual(['workflow.approval_expired', 60_000]);
    const cannotAsk = { code: 'test.refused', message: 'no', details: {} };
    expect((await runSteps([gate], { cannotAsk })).error).toBe('test.refused');
  });

  it('give what a signal says, or fail when it does not come in time', async () => {
    const wait = { id: 'w', wait: { signal: 'go', timeoutMs: 500 } };
    expect((await runSteps([wait], { signals: { go: { now: true } } })).output).toEqual({
      w: { now: true },
    });
    const late = await runSteps([wait]);
    expect([late.error, late.engine.nowMs]).toEqual(['workflow.wait_timed_out', 500]);
  });

  it('sleep as long as a reference says, and refuse what is no duration', async () => {
    const nap = { id: 'nap', sleep: '${input.long}' };
    expect((await runSteps([nap], { input: { long: '90s' } })).engine.nowMs).toBe(90_000);
    expect((await runSteps([nap], { input: { long: 'a while' } })).error).toBe(
      'workflow.invalid_duration',
    );
  });
});
