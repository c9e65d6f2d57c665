import { describe, expect, it } from 'vitest';
import { planSchema, type Json } from '../../contract/plan/index.ts';
import type { JournalEntry } from '../engine/run-store.ts';
import { compilePlan } from '../plan/index.ts';
import {
  call,
  Crashed,
  MemoryEngine,
  scriptedActivity,
  type Script,
} from '../../../testkit/workflow/index.ts';
import { interpret } from './interpret.ts';
import { journalForFork, stepsToForget } from './forget-steps.ts';
import { projectRun, type RecordedRun } from './projection.ts';

const tools: Script['tools'] = {
  'test.echo': ({ args }) => ({ value: args.value }),
  'test.fail': () => ({ fails: 'test.broken' }),
  'test.lost': () => ({ unknown: 'nobody knows' }),
};

/** What was recorded of a run until its end, or until this many times of waiting. */
async function record(
  steps: Json[],
  crashAtNext?: number,
  input: Record<string, Json> = {},
): Promise<RecordedRun> {
  const inputs = Object.fromEntries(Object.keys(input).map((name) => [name, {}]));
  const plan = compilePlan(planSchema.parse({ steps, input: inputs }));
  const engine = new MemoryEngine(scriptedActivity({ tools }));
  const scope = engine.openScope(crashAtNext === undefined ? {} : { crashAtNext });
  try {
    await interpret({ plan, input }, scope, { maxParallel: 100, maxItems: 100 });
  } catch (error) {
    if (!(error instanceof Crashed) && !String(error).includes('Nothing will ever')) throw error;
  }
  return {
    runId: 'memory',
    plan,
    input,
    entries: engine.entries,
    signals: engine.signals,
    maxItems: 100,
  };
}

const statusesOf = async (run: RecordedRun): Promise<Record<string, string>> =>
  Object.fromEntries(
    [...(await projectRun(run)).steps].map(([path, { status }]) => [path, status]),
  );

describe('the projection of a run', () => {
  it('has every step in the order of the plan, elements and inner steps after what they are in', async () => {
    const inner = {
      input: { x: {} },
      steps: [call('a'), call('b', { of: '${a}', x: '${input.x}' })],
    };
    const run = await record(
      [
        call('last', { of: '${sub}' }),
        { id: 'sub', plan: inner, input: { x: 1 } },
        { id: 'each', plan: inner, input: { x: '${item}' }, forEach: [1, 2], concurrency: 1 },
        { id: 'later', plan: inner, input: { x: '${last}' } },
      ],
      2,
    );
    expect(await statusesOf(run)).toEqual({
      last: 'pending',
      sub: 'running',
      'sub/a': 'succeeded',
      'sub/b': 'running',
      each: 'running',
      'each[0]': 'running',
      'each[0]/a': 'succeeded',
      'each[0]/b': 'running',
      later: 'pending',
      'later/a': 'pending',
      'later/b': 'pending',
    });
    expect(Object.keys(await statusesOf(run))[0]).toBe('last');
  });

  it('tells values, times, attempts and how many elements are done', async () => {
    const steps = [
      call('a', { x: 1 }),
      { id: 'nap', sleep: 2_500 },
      call('each', {}, { forEach: [1, 2, 3], concurrency: 2 }),
    ];
    const { steps: seen, outcome } = await projectRun(await record(steps));
    expect(outcome).toMatchObject({ kind: 'succeeded' });
    expect(seen.get('a')).toEqual({
      status: 'succeeded',
      tool: 'test.echo',
      held: { value: { x: 1 } },
      startedAt: 0,
      endedAt: 1_000,
      attempts: 1,
    });
    expect(seen.get('nap')).toMatchObject({ status: 'succeeded', startedAt: 0, endedAt: 2_500 });
    expect(seen.get('each')).toMatchObject({
      startedAt: 0,
      endedAt: 2_000,
      items: { total: 3, done: 3 },
    });
  });

  it('says since when a call is under way, where that was noted', async () => {
    const run = await record([call('a')], 1);
    const began: JournalEntry = { kind: 'began', key: 'a#1', atMs: 77 };
    const { steps, outcome } = await projectRun({ ...run, entries: [...run.entries, began] });
    expect([steps.get('a')?.status, steps.get('a')?.startedAt, outcome]).toEqual([
      'running',
      77,
      undefined,
    ]);
  });

  it('says when a gate was passed, and not in what it gave', async () => {
    const run = await record([{ id: 'gate', approval: true }], 2);
    const payload = { verdict: 'approved', by: 'me', atMs: 900 };
    const { steps } = await projectRun({ ...run, signals: [{ name: 'approval:gate@0', payload }] });
    expect(steps.get('gate')).toMatchObject({
      status: 'succeeded',
      startedAt: 0,
      endedAt: 900,
      held: { value: { verdict: 'approved', by: 'me' } },
    });
  });

  it('counts the time of an approved call from its start, and has the words of the tool', async () => {
    const run = await record([call('a', {}, { approval: true })], 2);
    const outcome = { kind: 'succeeded', held: { value: 1 }, text: 'one', startedAt: 5_000 };
    const called: JournalEntry[] = [
      { kind: 'settled', key: 'a#1', value: { ...outcome, endedAt: 5_020 } },
    ];
    const payload = { verdict: 'approved', by: 'me', atMs: 4_900 };
    const { steps } = await projectRun({
      ...run,
      entries: [...run.entries, ...called],
      signals: [{ name: 'approval:a@0', payload }],
    });
    expect(steps.get('a')).toMatchObject({ startedAt: 5_000, endedAt: 5_020, text: 'one' });
  });

  it('names what the run waits for, and the signal that answers it', async () => {
    const run = await record(
      [
        { id: 'gate', approval: { message: 'Really?' } },
        { id: 'ask', tool: 'test.echo', args: { x: 1 }, approval: true },
        { id: 'go', wait: 'go' },
        { id: 'lost', tool: 'test.lost' },
        { id: 'bad', tool: 'test.fail', onFailure: 'repair' },
      ],
      3,
    );
    const { waitingFor, steps } = await projectRun(run);
    expect(waitingFor).toEqual([
      { step: 'go', key: 'go', signal: 'go', kind: 'signal' },
      expect.objectContaining({
        step: 'gate',
        kind: 'approval',
        approvalId: 'gate@0',
        message: { value: 'Really?' },
        tool: null,
        expiresAt: 60_000,
      }),
      expect.objectContaining({
        signal: 'approval:ask@0',
        tool: 'test.echo',
        message: null,
        args: { value: { x: 1 } },
      }),
      {
        step: 'lost',
        key: 'lost?1',
        signal: 'resolve:lost',
        kind: 'resolve',
        tool: 'test.lost',
        message: 'nobody knows',
      },
      expect.objectContaining({
        signal: 'repair:bad:1',
        kind: 'repair',
        error: expect.objectContaining({ code: 'test.broken' }),
      }),
    ]);
    expect([...steps.values()].map(({ status }) => status)).toEqual([
      'waiting',
      'waiting',
      'waiting',
      'unknown',
      'waiting',
    ]);
  });

  it('counts a signal that is there as answered, before anybody goes on with the run', async () => {
    const run = await record([{ id: 'go', wait: 'go' }, call('a', { of: '${go}' })]);
    const { waitingFor, steps } = await projectRun({
      ...run,
      signals: [{ name: 'go', payload: 1 }],
    });
    expect([waitingFor, steps.get('go')?.status, steps.get('a')?.status]).toEqual([
      [],
      'succeeded',
      'running',
    ]);
  });

  it('shows what was given up when a plan failed as cancelled', async () => {
    const failing = {
      steps: [
        { id: 'bad', tool: 'test.fail' },
        { id: 'nap', sleep: '1h' },
      ],
    };
    const steps = [
      { id: 'sub', plan: failing, onFailure: 'skip' },
      { id: 'go', wait: 'go' },
    ];
    expect(await statusesOf(await record(steps))).toEqual({
      sub: 'skipped',
      'sub/bad': 'failed',
      'sub/nap': 'cancelled',
      go: 'waiting',
    });
  });

  it('leaves out what was forgotten', async () => {
    const run = await record([call('a'), call('b', { of: '${a}' }), call('c')]);
    const forgotten: JournalEntry = { kind: 'forgotten', paths: ['b'] };
    expect(await statusesOf({ ...run, entries: [...run.entries, forgotten] })).toEqual({
      a: 'succeeded',
      b: 'running',
      c: 'succeeded',
    });
  });
});

describe('a retry', () => {
  const forget = async (run: RecordedRun, from?: string): Promise<readonly string[]> =>
    stepsToForget(run.plan, await projectRun(run), from);

  it('forgets what failed and what needs it, and keeps all else', async () => {
    const steps = [
      call('ok'),
      { id: 'bad', tool: 'test.fail', args: { of: '${ok}' }, onFailure: 'skip' },
      call('needs', { of: '${bad}' }),
      call('asks', {}, { when: 'exists(${bad})' }),
      call('off', {}, { when: false }),
    ];
    expect(await forget(await record(steps))).toEqual(['bad', 'asks', 'needs']);
  });

  it('forgets of a list and of a sub-plan only what failed in it', async () => {
    const odd = {
      input: { x: {} },
      steps: [call('a'), { id: 'b', tool: '${x}', args: { of: '${a}' } }],
    };
    const inner = {
      ...odd,
      steps: [
        call('a'),
        { id: 'b', tool: 'test.fail', args: { of: '${a}' } },
        call('c', { of: '${b}' }),
      ],
    };
    const steps = [
      { id: 'sub', plan: inner, input: { x: 1 }, onFailure: 'skip' },
      {
        id: 'each',
        tool: 'test.echo',
        args: { x: '${item.x}' },
        forEach: [{ x: 1 }, {}],
        onFailure: 'skip',
      },
      call('end', { of: '${each}' }),
      call('other', { of: '${sub}' }),
    ];
    expect(await forget(await record(steps))).toEqual([
      'sub/b',
      'sub/c',
      'other',
      'each[1]',
      'end',
    ]);
  });

  it('forgets a step that is named, too, with all that needs it in the plans around it', async () => {
    const inner = { steps: [call('a'), call('b', { of: '${a}' })] };
    const steps = [
      { id: 'sub', plan: inner },
      call('end', { of: '${sub}' }),
      { id: 'bad', tool: 'test.fail' },
    ];
    expect(await forget(await record(steps), 'sub/a')).toEqual(['bad', 'sub/a', 'sub/b', 'end']);
  });
});

describe('a fork', () => {
  const steps = [
    call('a', { x: '${input.x}' }),
    call('b', { y: '${input.y}' }),
    call('c', { of: '${a}' }),
    { id: 'lost', tool: 'test.lost' },
    { id: 'go', wait: 'go' },
    { id: 'sub', plan: { steps: [{ id: 'in', wait: 'inner' }] }, when: '${input.y} > 0' },
  ];
  const keysKept = async (
    run: RecordedRun,
    changes: Parameters<typeof journalForFork>[1],
  ): Promise<string[]> =>
    (await journalForFork(run, changes)).entries.map((entry) =>
      'key' in entry ? entry.key : entry.kind,
    );

  it('keeps the outcomes of the steps that changes do not reach, an unknown one as unknown', async () => {
    const run = await record(steps, undefined, { x: 1, y: 2 });
    expect(await keysKept(run, {})).toEqual(['a#1', 'b#1', 'lost#1', 'c#1']);
    expect(await keysKept(run, { input: { x: 5 } })).toEqual(['b#1', 'lost#1']);
    expect(await keysKept(run, { fromStep: 'c' })).toEqual(['a#1', 'b#1', 'lost#1']);
    expect(await keysKept(run, { args: { a: { x: 9 }, lost: {} } })).toEqual(['b#1']);
  });

  it('takes over what was said about the run, but for answers and what is waited for again', async () => {
    const run = await record(steps, undefined, { x: 1, y: 2 });
    const signals = ['go', 'inner', 'other', 'resolve:lost', 'approval:1'].map((name) => ({
      name,
      payload: 1,
    }));
    const names = async (changes: Parameters<typeof journalForFork>[1]): Promise<string[]> =>
      (await journalForFork({ ...run, signals }, changes)).signals.map(({ name }) => name);
    expect(await names({})).toEqual(['go', 'inner', 'other']);
    expect(await names({ fromStep: 'go' })).toEqual(['inner', 'other']);
    expect(await names({ input: { y: 1 } })).toEqual(['go', 'other']);
  });

  it('runs again what failed', async () => {
    const run = await record([call('a'), { id: 'bad', tool: 'test.fail', args: { of: '${a}' } }]);
    expect(await keysKept(run, {})).toEqual(['a#1']);
  });
});
