import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { testEffectStore } from '../../workflow/effects/effect-store.suite.ts';
import { anApprovalRow, anEffectRow } from '../../../testkit/workflow/effects/rows.ts';
import { aNewRun } from '../../../testkit/workflow/a-run.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import type { Store } from '../open-store.ts';
import { aStore } from '../../../testkit/store/a-store.ts';

const place = { runId: 'run1', step: 'pay', durability: 'full' } as const;

async function aStoreWithRun(): Promise<Store> {
  const store = aStore();
  await store.runs.create(aNewRun());
  return store;
}

describe('the effect store in SQLite', () => {
  testEffectStore(async () => {
    const store = await aStoreWithRun();
    return { store: store.effects, signals: () => store.runs.signals('run1') };
  });

  it('keeps the first value of a signal, and the rows all the same', async () => {
    const store = await aStoreWithRun();
    const name = 'approval:a1';
    for (const payload of ['first', 'second']) {
      const approval = anApprovalRow({ reason: payload });
      await store.effects.change(place, () => ({
        approval,
        signal: { name, payload },
        result: null,
      }));
    }
    expect(await store.runs.signals('run1')).toEqual([{ name, payload: 'first' }]);
    expect(await store.effects.approval('a1')).toMatchObject({ reason: 'second' });
  });

  it('keeps neither the verdict nor the signal when one of them cannot be written', async () => {
    const store = aStore();
    await store.effects.change(place, () => ({ approval: anApprovalRow(), result: null }));
    const raw = new DatabaseSync(store.path);
    raw.exec('DROP TABLE run_signals');
    raw.close();
    const deciding = store.effects.change(place, () => ({
      approval: anApprovalRow({ state: 'approved' }),
      signal: { name: 'approval:a1', payload: null },
      result: null,
    }));
    await expect(deciding).rejects.toThrow('run_signals');
    expect(await store.effects.approval('a1')).toMatchObject({ state: 'pending' });
  });

  it('shows what was written to all who have the directory open', async () => {
    const home = aDirectory();
    const [one, other] = [aStore({ home }), aStore({ home })];
    await one.effects.change(place, () => ({ effect: anEffectRow(), result: null }));
    expect(await other.effects.effects('run1')).toEqual([anEffectRow()]);
  });

  it('keeps what others write beside a row that cannot be read', async () => {
    const store = aStore();
    await store.effects.change(place, () => ({ effect: anEffectRow(), result: null }));
    const raw = new DatabaseSync(store.path);
    raw.exec(`UPDATE effects SET outcome = '{'`);
    raw.close();
    const [damaged, other] = await Promise.allSettled([
      store.effects.change(place, (rows) => ({ result: rows })),
      store.effects.change({ ...place, runId: 'run2' }, () => ({
        effect: anEffectRow({ runId: 'run2' }),
        result: 'kept',
      })),
    ]);
    expect(damaged).toMatchObject({ status: 'rejected', reason: { code: 'store.corrupt' } });
    expect(other).toEqual({ status: 'fulfilled', value: 'kept' });
    expect(await store.effects.effects('run2')).toHaveLength(1);
  });

  it('says that the database is damaged where a row cannot be read', async () => {
    const store = aStore();
    await store.effects.change(place, () => ({ effect: anEffectRow(), result: null }));
    const raw = new DatabaseSync(store.path);
    raw.exec(`UPDATE effects SET outcome = '{'`);
    raw.close();
    await expect(store.effects.effects('run1')).rejects.toMatchObject({ code: 'store.corrupt' });
    const changing = store.effects.change(place, (rows) => ({ result: rows }));
    await expect(changing).rejects.toMatchObject({ code: 'store.corrupt' });
  });
});
