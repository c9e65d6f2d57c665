import { describe, expect, it } from 'vitest';
import {
  failedToolResult,
  idempotencyMetaKey,
  reconcileMetaKey,
} from '../../contract/tool/index.ts';
import { noFaults } from '../../kernel/index.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import type { EffectRow, EffectState } from './effect-ports.ts';
import {
  aWorkbench,
  gives,
  says,
  type ScriptedTool,
} from '../../../testkit/workflow/effects/a-workbench.ts';
import {
  failing,
  leave,
  paid,
  rowOf,
  succeeded,
  unknown,
} from '../../../testkit/workflow/effects/left-rows.ts';

const refusedWith = (code: number) => ({ method: 'tools/call', rpc: { code } });

const dies = () => {
  throw new Error('died');
};

describe('an effect', () => {
  it('is in the ledger before it is sent, and its result before the run knows it', async () => {
    let during: EffectRow | undefined;
    const bench = aWorkbench({
      's.t': {
        run: async () => {
          during = await rowOf(bench);
          return gives({ paid: true });
        },
      },
    });
    const outcome = await bench.call({ args: { value: { amount: 5 } } });
    expect(outcome).toMatchObject(succeeded);
    expect(during).toMatchObject({
      id: 'run1:a:0',
      state: 'dispatched',
      server: 's',
      tool: 's.t',
      callerId: 'local',
      dispatch: 1,
      argumentsDigest: expect.stringMatching(/^sha256:/),
    });
    expect(await rowOf(bench)).toMatchObject({ state: 'succeeded', outcome });
  });

  it('is not sent when the ledger cannot be written', async () => {
    const bench = aWorkbench({ 's.t': paid });
    bench.store.close();
    const broken = aWorkbench(
      { 's.t': paid },
      { effects: { ...bench.store.effects, change: () => Promise.reject(new Error('no disk')) } },
    );
    expect(await broken.call({})).toMatchObject({ kind: 'failed', error: { message: 'no disk' } });
    expect(broken.calls).toEqual([]);
  });

  it('that has happened is never sent again: the run is told the same once more', async () => {
    const bench = aWorkbench({ 's.t': paid });
    const first = await bench.call({});
    bench.clock.nowMs += 1_000;
    expect(await bench.call({})).toEqual(first);
    expect(await bench.call({ attempt: 2 })).toEqual(first);
    expect(bench.calls).toHaveLength(1);
  });

  it('happens anew when somebody had the step forgotten', async () => {
    const bench = aWorkbench({ 's.t': paid });
    await bench.call({});
    await bench.call({}, { generation: 1 });
    await bench.call({}, { generation: 1 });
    expect(bench.calls.map(({ meta }) => meta[idempotencyMetaKey])).toEqual([
      'run1:a:0',
      'run1:a:1',
    ]);
  });

  it.each<[string, () => ReturnType<ScriptedTool['run']>]>([
    ['the tool says so', () => ({ ...says('no money'), isError: true })],
    [
      'it was never sent',
      () => failedToolResult({ code: 'fleet.server_unavailable', message: 'x', details: {} }),
    ],
    ['it wants an answer', () => ({ content: [], resultType: 'input_required' })],
    ['no connection was made', failing('fleet.unreachable')],
    ['it had to wait too long', failing('kernel.too_busy')],
    ['the request was none', failing('fleet.upstream_error', refusedWith(-32_602))],
  ])('that certainly failed may be tried again: %s', async (_why, run) => {
    let fails = true;
    const bench = aWorkbench({ 's.t': { run: () => (fails ? run() : gives({ paid: true })) } });
    expect(await bench.call({})).toMatchObject({ kind: 'failed' });
    expect(await rowOf(bench)).toMatchObject({ state: 'failed' });
    fails = false;
    expect(await bench.call({ attempt: 2 })).toMatchObject(succeeded);
    expect(await rowOf(bench)).toMatchObject({ state: 'succeeded', dispatch: 2, attempt: 2 });
  });

  it.each<[string, () => ReturnType<ScriptedTool['run']>]>([
    ['the connection was lost', failing('fleet.outcome_unknown')],
    ['no answer came', failing('fleet.exchange_broken')],
    ['the answer was too large', failing('fleet.answer_too_large')],
    ['the answer was none', failing('fleet.bad_answer')],
    ['it took too long', failing('kernel.time_limit')],
    ['what is behind it took too long', failing('fleet.upstream_error', refusedWith(-32_001))],
    ['the server failed', failing('fleet.upstream_error', refusedWith(-32_603))],
    [
      'its task was refused later',
      failing('fleet.upstream_error', { method: 'tasks/result', rpc: { code: -32_602 } }),
    ],
    ['it was sent elsewhere', failing('fleet.redirect_refused')],
    ['its session was over', failing('fleet.session_expired')],
    ...[303, 400, 401, 404, 409, 429, 500, 502, 503].map(
      (status): [string, () => ReturnType<ScriptedTool['run']>] => [
        `any hop may have said ${status}`,
        failing('fleet.http_status', { status }),
      ],
    ),
    ['it goes on as a task', () => ({ content: [], resultType: 'task' })],
    ['nobody foresaw what happened', () => Promise.reject(new TypeError('bug'))],
  ])('whose end is not known is not tried again: %s', async (_why, run) => {
    const bench = aWorkbench({ 's.t': { run } });
    expect(await bench.call({})).toMatchObject(unknown);
    expect(await rowOf(bench)).toMatchObject({ state: 'unknown' });
    expect(await bench.call({})).toMatchObject(unknown);
    expect(await bench.call({}, { generation: 1 })).toMatchObject(unknown);
    expect(bench.calls).toHaveLength(1);
  });

  it('that exceeds the time of its step is unknown', async () => {
    const bench = aWorkbench({ 's.t': { run: () => new Promise(() => {}) } });
    const outcome = await bench.call({ timeoutMs: 5 });
    expect(outcome).toMatchObject(unknown);
    expect(outcome).toHaveProperty(
      'message',
      expect.stringContaining('did not finish within 5 ms'),
    );
  });

  it('whose result cannot be kept has happened all the same', async () => {
    const bench = aWorkbench(
      { 's.t': { run: () => gives({ x: 'y'.repeat(2_000) }) } },
      { limits: { resultBytes: 1_000, inlineBytes: 100 } },
    );
    const outcome = await bench.call({});
    expect(outcome).toMatchObject(unknown);
    expect(outcome).toHaveProperty(
      'message',
      expect.stringContaining('The call returned, and its result'),
    );
  });

  it('that was cancelled stays as dispatched, and the reason comes out untouched', async () => {
    const cancel = new AbortController();
    const reason = new Error('cancelled');
    const bench = aWorkbench({
      's.t': {
        run: () => {
          cancel.abort(reason);
          return { ...says('stopped'), isError: true };
        },
      },
    });
    await expect(bench.call({}, { signal: cancel.signal })).rejects.toBe(reason);
    expect(await rowOf(bench)).toMatchObject({ state: 'dispatched' });
    expect(await bench.call({}, { generation: 1 })).toMatchObject(unknown);
    expect(bench.calls).toHaveLength(1);
  });

  it.each(['normal', 'full'] as const)(
    'is on disk before it is sent, and what it came to as %s as runs are kept',
    async (durability) => {
      const { effects } = aWorkbench({ 's.t': paid }).store;
      const kept: string[] = [];
      const run: typeof paid.run = () => {
        kept.push('sent');
        return says('paid');
      };
      const noted: typeof effects = {
        change: (request, decide) => {
          kept.push(request.durability);
          return effects.change(request, decide);
        },
        approvals: (runId) => effects.approvals(runId),
        approval: (id) => effects.approval(id),
        effects: (runId) => effects.effects(runId),
      };
      await aWorkbench({ 's.t': { run } }, { effects: noted, durability }).call({});
      expect(kept).toEqual(['full', 'sent', durability]);
    },
  );

  it('goes on with what it came to when that cannot be noted', async () => {
    const bench = aWorkbench({ 's.t': paid });
    const { effects } = bench.store;
    const other = aWorkbench(
      { 's.t': paid },
      {
        effects: {
          change: (request, decide) =>
            request.durability === 'full'
              ? effects.change(request, decide)
              : Promise.reject(new Error('no disk')),
          approvals: (runId) => effects.approvals(runId),
          approval: (id) => effects.approval(id),
          effects: (runId) => effects.effects(runId),
        },
      },
    );
    expect(await other.call({})).toMatchObject(succeeded);
    expect(await rowOf(bench)).toMatchObject({ state: 'dispatched' });
  });
});

describe('an effect after a crash', () => {
  it.each<[EffectState, string, number]>([
    ['dispatched', 'unknown', 0],
    ['unknown', 'unknown', 0],
    ['succeeded', 'remembered', 0],
    ['failed', 'succeeded', 1],
  ])('whose row says %s is %s, with %i calls', async (state, kind, calls) => {
    const bench = aWorkbench({ 's.t': paid });
    await leave(bench, { state, outcome: { kind: 'remembered' } });
    expect(await bench.call({})).toMatchObject({ kind });
    expect(bench.calls).toHaveLength(calls);
  });

  it.each([
    ['effects.begin.before', 'succeeded', 1],
    ['effects.begin.after', 'unknown', 0],
    ['effects.call.after', 'unknown', 1],
    ['effects.settle.after', 'succeeded', 1],
  ])('at %s is then %s, sent %i times in all', async (point, kind, calls) => {
    const home = aDirectory();
    let isDead = false;
    const faultPoint = (name: string): void => {
      if (name === point) isDead = true;
      // A process that is dead does nothing more, to whatever it would have come.
      if (isDead) dies();
    };
    const dying = aWorkbench({ 's.t': paid }, { home, faultPoint });
    await dying.call({});
    dying.store.close();
    const bench = aWorkbench({ 's.t': paid }, { home });
    expect(await bench.call({})).toMatchObject({ kind });
    expect(dying.calls.length + bench.calls.length).toBe(calls);
  });

  it('is sent again when a person said that it had not happened, under the same key', async () => {
    const bench = aWorkbench({ 's.t': paid });
    await leave(bench, { state: 'dispatched' });
    expect(await bench.call({ attempt: 1 })).toMatchObject(unknown);
    expect(await bench.call({ attempt: 2 })).toMatchObject(succeeded);
    expect(await bench.call({ attempt: 2 })).toMatchObject(succeeded);
    expect(bench.calls.map(({ meta }) => meta[idempotencyMetaKey])).toEqual(['run1:a:0']);
  });

  it('is asked about once more when the process died again after the person had said so', async () => {
    const bench = aWorkbench({ 's.t': paid });
    await leave(bench, { state: 'dispatched', attempt: 2, dispatch: 2 });
    expect(await bench.call({ attempt: 2 })).toMatchObject(unknown);
    expect(bench.calls).toEqual([]);
  });

  it('keeps its key when the step was forgotten before anybody knew what had become of it', async () => {
    const bench = aWorkbench({ 's.t': paid });
    await leave(bench, { state: 'unknown', attempt: 3 });
    expect(await bench.call({ attempt: 2 }, { generation: 1 })).toMatchObject(unknown);
    expect(await bench.call({ attempt: 3 }, { generation: 1 })).toMatchObject(succeeded);
    expect(bench.calls.map(({ meta }) => meta[idempotencyMetaKey])).toEqual(['run1:a:0']);
    expect(await bench.call({ attempt: 3 }, { generation: 1 })).toMatchObject(succeeded);
    expect(bench.calls).toHaveLength(1);
  });
});

describe('two who want the same effect', () => {
  it('send it once, whoever comes first', async () => {
    const home = aDirectory();
    const sent: string[] = [];
    const both = ['one', 'other'].map((who) =>
      aWorkbench(
        {
          's.t': {
            run: () => {
              sent.push(who);
              return gives({ paid: true });
            },
          },
        },
        { home },
      ),
    );
    const outcomes = await Promise.all(both.map((bench) => bench.call({})));
    expect(sent).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'succeeded').length).toBeGreaterThan(0);
  });

  it('send it again once, when both found out that it had not happened', async () => {
    const home = aDirectory();
    const sent: string[] = [];
    let lookedUp = 0;
    let release = (): void => {};
    const bothLookedUp = new Promise<void>((resolve) => (release = resolve));
    const both = ['one', 'other'].map((who) =>
      aWorkbench(
        {
          's.t': {
            _meta: { [reconcileMetaKey]: { tool: 'lookup' } },
            run: () => {
              sent.push(who);
              return gives({ paid: true });
            },
          },
          's.lookup': {
            run: async () => {
              lookedUp += 1;
              if (lookedUp === 2) release();
              await bothLookedUp;
              return gives({ state: 'not_happened' });
            },
          },
        },
        { home, faultPoint: noFaults },
      ),
    );
    const [first] = both;
    if (!first) throw new Error('nobody');
    await leave(first, { state: 'dispatched' });
    await Promise.all(both.map((bench) => bench.call({})));
    expect(sent).toHaveLength(1);
  });
});
