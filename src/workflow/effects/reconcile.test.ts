import { describe, expect, it } from 'vitest';
import { idempotencyMetaKey, reconcileMetaKey } from '../../contract/tool/index.ts';
import type { CallInput } from '../engine/activity-data.ts';
import {
  aWorkbench,
  gives,
  says,
  type ScriptedTool,
  type Workbench,
} from './testing/a-workbench.ts';
import { approvalPolicy } from './approval-policy.ts';
import { failing, leave, paid, rowOf, succeeded, unknown } from './testing/left-rows.ts';

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

    it('has not happened when it does not', async () => {
      const bench = aShop([]);
      await leave(bench, { state: 'dispatched' });
      expect(await bench.call({ reconcile })).toMatchObject(succeeded);
      expect(bench.calls.map(({ name }) => name)).toEqual(['db.find', 's.t']);
    });

    it('and is not found while the server may be at it still is nobody\u2019s to send again', async () => {
      const bench = aWorkbench({
        's.t': { run: () => new Promise(() => {}) },
        'db.find': { run: () => gives({ rows: [] }) },
      });
      const outcome = await bench.call({ reconcile, timeoutMs: 5 });
      expect(outcome).toMatchObject(unknown);
      expect(outcome).toHaveProperty('message', expect.stringContaining('still be on its way'));
      expect(await rowOf(bench)).toMatchObject({ state: 'unknown' });
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
