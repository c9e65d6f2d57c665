import { describe, expect, it } from 'vitest';
import { idempotencyMetaKey, reconcileMetaKey } from '../../contract/tool/index.ts';
import type { CallInput } from '../engine/activity-data.ts';
import {
  aWorkbench,
  gives,
  says,
  type ScriptedTool,
  type Workbench,
} from '../../../testkit/workflow/effects/a-workbench.ts';
import { approvalPolicy } from './effect-ports.ts';
import {
  failing,
  leave,
  paid,
  rowOf,
  succeeded,
  unknown,
} from '../../../testkit/workflow/effects/left-rows.ts';

describe('an effect that can be looked up', () => {
  const lookup = { tool: 'lookup' };

  function aBank(state: string, result?: unknown, tool: Partial<ScriptedTool> = {}): Workbench {
    return aWorkbench({
      's.t': { ...paid, _meta: { [reconcileMetaKey]: lookup }, ...tool },
      's.lookup': { run: (args) => gives({ state, result, args }) },
    });
  }

  it('and has happened is over, with the result that the lookup gives', async () => {
    const bench = aBank('happened', { paid: true });
    await leave(bench, { state: 'dispatched' });
    expect(await bench.call({})).toMatchObject(succeeded);
    expect(bench.calls).toMatchObject([
      { name: 's.lookup', args: { idempotency_key: 'run1:a:0' } },
    ]);
    expect(await rowOf(bench)).toMatchObject({ state: 'succeeded' });
    expect(await bench.call({})).toMatchObject(succeeded);
    expect(bench.calls).toHaveLength(1);
  });

  it('after a step was forgotten is found out about once, and counts for the new one', async () => {
    const bench = aBank('happened', { paid: true });
    await leave(bench, { state: 'dispatched' });
    await bench.call({}, { generation: 1 });
    await bench.call({}, { generation: 1 });
    expect(bench.calls.map(({ name }) => name)).toEqual(['s.lookup']);
  });

  it('and has not happened is sent again under the same key', async () => {
    const bench = aBank('not_happened');
    await leave(bench, { state: 'dispatched' });
    expect(await bench.call({})).toMatchObject(succeeded);
    expect(bench.calls.map(({ name, meta }) => [name, meta[idempotencyMetaKey]])).toEqual([
      ['s.lookup', 'run1:a:0'],
      ['s.t', 'run1:a:0'],
    ]);
  });

  it('and whose tool knows calls by their key is sent again under it', async () => {
    const bench = aBank('unknown', null, { _meta: { [reconcileMetaKey]: { repeat: true } } });
    await leave(bench, { state: 'dispatched' });
    expect(await bench.call({})).toMatchObject(succeeded);
    expect(bench.calls.map(({ name, meta }) => [name, meta[idempotencyMetaKey]])).toEqual([
      ['s.t', 'run1:a:0'],
    ]);
  });

  it('of a stranger is not sent again on its word alone', async () => {
    const words = [{ tool: 'lookup' }, { repeat: true }, { repeat: true, tool: 'lookup' }];
    for (const word of words) {
      const bench = aBank('not_happened', null, {
        isTrusted: false,
        _meta: { [reconcileMetaKey]: word },
      });
      await leave(bench, { state: 'dispatched' });
      expect(await bench.call({})).toMatchObject(unknown);
      expect(bench.calls.some(({ name }) => name === 's.t')).toBe(false);
    }
  });

  it.each(['unknown', 'nonsense'])('and whose server says %s is asked about', async (state) => {
    const bench = aBank(state);
    await leave(bench, { state: 'dispatched' });
    const outcome = await bench.call({});
    expect(outcome).toMatchObject(unknown);
    expect(outcome).toHaveProperty('message', expect.stringContaining('does not know it either'));
  });

  it.each<[string, ScriptedTool['run']]>([
    ['fails', () => ({ ...says('no'), isError: true })],
    ['throws', () => Promise.reject(new Error('no'))],
    ['hangs', () => new Promise(() => {})],
  ])('by something that %s is asked about', async (_how, run) => {
    const bench = aWorkbench(
      { 's.t': { ...paid, _meta: { [reconcileMetaKey]: lookup } }, 's.lookup': { run } },
      { limits: { reconcileMs: 5 } },
    );
    await leave(bench, { state: 'dispatched' });
    expect(await bench.call({})).toMatchObject(unknown);
    expect(bench.calls.map(({ name }) => name)).toEqual(['s.lookup']);
  });

  it('by something that is not there, or wants approval itself, is asked about', async () => {
    const withLookup = { ...paid, _meta: { [reconcileMetaKey]: lookup } };
    const without = aWorkbench({ 's.t': withLookup });
    await leave(without, { state: 'dispatched' });
    expect(await without.call({})).toMatchObject(unknown);
    const policy = approvalPolicy('destructive');
    const bench = aWorkbench(
      {
        's.t': { ...withLookup, annotations: { destructiveHint: false } },
        's.lookup': { run: () => gives({ state: 'happened' }) },
      },
      { policy },
    );
    await leave(bench, { state: 'dispatched' });
    const outcome = await bench.call({});
    expect(outcome).toMatchObject(unknown);
    expect(outcome).toHaveProperty('message', expect.stringContaining('without approval'));
    expect(bench.calls).toEqual([]);
  });

  it('is looked up at once when the answer was lost', async () => {
    const lost = { run: failing('fleet.outcome_unknown') };
    expect(await aBank('happened', { paid: true }, lost).call({})).toMatchObject(succeeded);
    const bench = aBank('not_happened', undefined, lost);
    expect(await bench.call({})).toMatchObject({
      kind: 'failed',
      error: { code: 'fleet.outcome_unknown' },
      isRetryable: true,
    });
    expect(await rowOf(bench)).toMatchObject({ state: 'failed' });
    expect(await aBank('unknown', undefined, lost).call({})).toMatchObject(unknown);
  });

  it('is not looked up for a step that was cancelled meanwhile', async () => {
    const cancel = new AbortController();
    const reason = new Error('cancelled');
    const bench = aWorkbench({
      's.t': { ...paid, _meta: { [reconcileMetaKey]: lookup } },
      's.lookup': {
        run: () => {
          cancel.abort(reason);
          return new Promise(() => {});
        },
      },
    });
    await leave(bench, { state: 'dispatched' });
    await expect(bench.call({}, { signal: cancel.signal })).rejects.toBe(reason);
    expect(await rowOf(bench)).toMatchObject({ state: 'dispatched' });
  });

  describe('by what the step says', () => {
    const reconcile: NonNullable<CallInput['reconcile']> = {
      tool: 'db.find',
      args: { value: { order: 7 } },
      happened: '${result.rows.length} > 0',
    };

    function aShop(rows: readonly unknown[]): Workbench {
      return aWorkbench({
        's.t': { ...paid, _meta: { [reconcileMetaKey]: lookup } },
        'db.find': { run: () => gives({ rows }) },
      });
    }

    it('has happened when the condition holds: the result is that of the lookup', async () => {
      const bench = aShop([1]);
      await leave(bench, { state: 'dispatched' });
      expect(await bench.call({ reconcile })).toMatchObject({ held: { value: { rows: [1] } } });
      expect(bench.calls).toMatchObject([{ name: 'db.find', args: { order: 7 } }]);
    });

    it('or what the step makes of it', async () => {
      const bench = aShop([{ id: 'x' }]);
      await leave(bench, { state: 'dispatched' });
      const output = { paid: true, as: '${result.rows[0].id}' };
      expect(await bench.call({ reconcile: { ...reconcile, output } })).toMatchObject({
        held: { value: { paid: true, as: 'x' } },
      });
    });

    it('and is not found is nobody’s to send again: the server may be at it still', async () => {
      const bench = aShop([]);
      await leave(bench, { state: 'dispatched' });
      const outcome = await bench.call({ reconcile });
      expect(outcome).toMatchObject(unknown);
      expect(outcome).toHaveProperty('message', expect.stringContaining('may still be under way'));
      expect(bench.calls.map(({ name }) => name)).toEqual(['db.find']);
    });

    it('and is not found at once is looked for as long as a call may take', async () => {
      const rows: unknown[] = [];
      let looks = 0;
      const bench = aWorkbench({
        's.t': { ...paid, timeoutMs: 5_000 },
        'db.find': {
          run: () => {
            looks += 1;
            if (looks === 3) rows.push(1);
            return gives({ rows });
          },
        },
      });
      await leave(bench, { state: 'dispatched', dispatchedAtMs: bench.clock.nowMs });
      expect(await bench.call({ reconcile })).toMatchObject({ held: { value: { rows: [1] } } });
      expect(bench.calls.map(({ name }) => name)).toEqual(['db.find', 'db.find', 'db.find']);
    });

    it.each([
      ['its time is over', {}, () => new Promise<never>(() => {})],
      ['any hop refused it', {}, failing('fleet.http_status', { status: 503 })],
      ['its tool fails with a code of ours', { isTrusted: false }, failing('fleet.http_status')],
    ])('and is not found after %s is asked about', async (_why, known, run) => {
      const bench = aWorkbench(
        { 's.t': { ...known, run }, 'db.find': { run: () => gives({ rows: [] }) } },
        { limits: { callMs: 30 } },
      );
      const outcome = await bench.call({ reconcile, timeoutMs: 5 });
      expect(outcome).toMatchObject(unknown);
      expect(outcome).toHaveProperty('message', expect.stringContaining('may still be under way'));
      expect(await rowOf(bench)).toMatchObject({ state: 'unknown' });
    });

    it('has not happened when it is not found after the time that the plan says', async () => {
      const bench = aShop([]);
      await leave(bench, { state: 'dispatched' });
      const final = { ...reconcile, finalAfterMs: 20 };
      expect(await bench.call({ reconcile: final })).toMatchObject(succeeded);
      const names = bench.calls.map(({ name }) => name);
      expect(names.filter((name) => name === 's.t')).toHaveLength(1);
      expect(names.lastIndexOf('db.find')).toBeGreaterThan(0);
      expect(names.at(-1)).toBe('s.t');
      const refused = aWorkbench({
        's.t': { run: failing('fleet.http_status', { status: 503 }) },
        'db.find': { run: () => gives({ rows: [] }) },
      });
      expect(await refused.call({ reconcile: final })).toMatchObject({
        kind: 'failed',
        isRetryable: true,
      });
    });

    it('has happened when it is found within that time', async () => {
      let looks = 0;
      const bench = aWorkbench({
        's.t': paid,
        'db.find': { run: () => gives({ rows: (looks += 1) > 1 ? [1] : [] }) },
      });
      await leave(bench, { state: 'dispatched' });
      const final = { ...reconcile, finalAfterMs: 20 };
      expect(await bench.call({ reconcile: final })).toMatchObject({ kind: 'succeeded' });
      expect(bench.calls.map(({ name }) => name)).toEqual(['db.find', 'db.find']);
    });

    it.each([
      ['the process that sent it is dead and its server with it', true, true, 's.t'],
      ['the process that sent it may live', true, false, undefined],
      ['its server may live', false, true, undefined],
    ])('and is not found while %s', async (_how, endsWithCaller, isGone, sent) => {
      const bench = aWorkbench(
        { 's.t': { ...paid, endsWithCaller }, 'db.find': { run: () => gives({ rows: [] }) } },
        {
          limits: { orphanMs: 5 },
          processes: { own: () => ({ pid: 1, processStart: '' }), isGone: async () => isGone },
        },
      );
      await leave(bench, { state: 'dispatched' });
      await bench.call({ reconcile });
      expect(bench.calls.map(({ name }) => name).find((name) => name === 's.t')).toBe(sent);
    });

    it('is asked about when what the step says makes no sense', async () => {
      const bench = aShop([1]);
      await leave(bench, { state: 'dispatched' });
      const output = '${result.rows[9].id}';
      expect(await bench.call({ reconcile: { ...reconcile, output } })).toMatchObject(unknown);
      expect(await bench.call({ reconcile: { ...reconcile, happened: '((' } })).toMatchObject(
        unknown,
      );
    });
  });
});
