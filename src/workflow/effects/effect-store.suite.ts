import { expect, it } from 'vitest';
import type { Json } from '../../contract/plan/index.ts';
import type { EffectStore } from './effect-ports.ts';
import { anApprovalRow, anEffectRow } from '../../../testkit/workflow/effects/rows.ts';

const place = { runId: 'run1', step: 'pay', durability: 'full' } as const;

export interface EffectStoreUnderTest {
  readonly store: EffectStore;
  /** Signals of `run1` in the order they came. */
  readonly signals: () => Promise<readonly { readonly name: string; readonly payload: Json }[]>;
}

/** What every effect store promises. `create` gives an empty one. */
export function testEffectStore(create: () => Promise<EffectStoreUnderTest>): void {
  it('gives back every part of the rows as they were written', async () => {
    const { store } = await create();
    const effect = anEffectRow({
      state: 'succeeded',
      settledAtMs: 5,
      approvalId: 'a1',
      outcome: { kind: 'succeeded', held: { value: ['ü', null, 1.5] } },
    });
    const approval = anApprovalRow({
      state: 'denied',
      decidedBy: 'local',
      decidedAtMs: 7,
      reason: 'no',
      usedBy: 'x',
    });
    await store.change(place, () => ({ effect, approval, result: null }));
    const seen = await store.change(place, (rows) => ({ result: rows }));
    expect(seen).toEqual({ effect, approvals: [approval] });
    expect(await store.effects('run1')).toEqual([effect]);
    expect(await store.approvals('run1')).toEqual([approval]);
    expect(await store.approval('a1')).toEqual(approval);
  });

  it('keeps a gate, which has neither server nor tool', async () => {
    const { store } = await create();
    const approval = anApprovalRow({ server: null, tool: null });
    await store.change(place, () => ({ approval, result: null }));
    expect(await store.approval('a1')).toEqual(approval);
  });

  it('shows nothing where there is nothing', async () => {
    const { store } = await create();
    expect(await store.change(place, (rows) => ({ result: rows }))).toEqual({
      effect: undefined,
      approvals: [],
    });
    expect(await store.approval('a1')).toBeUndefined();
    expect(await store.effects('run1')).toEqual([]);
  });

  it('shows the rows of one step of one run only, approvals oldest first', async () => {
    const { store } = await create();
    const late = anApprovalRow({ approvalId: 'late', askedAtMs: 9_000 });
    const early = anApprovalRow({ approvalId: 'z-early', askedAtMs: 8_000 });
    const others = [
      anApprovalRow({ approvalId: 'o1', step: 'other' }),
      anApprovalRow({ approvalId: 'o2', runId: 'run2' }),
    ];
    for (const approval of [late, ...others, early]) {
      const { runId, step } = approval;
      await store.change({ ...place, runId, step }, () => ({ approval, result: null }));
    }
    await store.change({ ...place, step: 'other' }, () => ({
      effect: anEffectRow({ step: 'other' }),
      result: null,
    }));
    expect(await store.change(place, (rows) => ({ result: rows }))).toEqual({
      effect: undefined,
      approvals: [early, late],
    });
    expect((await store.approvals('run1')).map((it) => it.approvalId)).toEqual([
      'o1',
      'z-early',
      'late',
    ]);
  });

  it('lets each of those who race see what the one before wrote', async () => {
    const { store } = await create();
    const racers = Array.from({ length: 50 }, () =>
      store.change(place, ({ effect }) => {
        const dispatch = (effect?.dispatch ?? 0) + 1;
        return { effect: anEffectRow({ dispatch }), result: dispatch };
      }),
    );
    expect(await Promise.all(racers)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it('writes nothing for one that throws, and all for those beside it', async () => {
    const { store } = await create();
    const one = store.change(place, () => ({ effect: anEffectRow(), result: 1 }));
    const broken = store.change(place, () => {
      throw new Error('broken');
    });
    const other = store.change({ ...place, step: 'b' }, () => ({
      effect: anEffectRow({ step: 'b' }),
      result: 2,
    }));
    await expect(broken).rejects.toThrow('broken');
    expect(await Promise.all([one, other])).toEqual([1, 2]);
    expect((await store.effects('run1')).map((it) => it.step)).toEqual(['b', 'pay']);
  });

  it('sends the signal with the rows', async () => {
    const { store, signals } = await create();
    const signal = { name: 'approval:a1', payload: { verdict: 'approved', by: 'local' } };
    await store.change(place, () => ({ approval: anApprovalRow(), signal, result: null }));
    expect(await signals()).toEqual([signal]);
  });
}
