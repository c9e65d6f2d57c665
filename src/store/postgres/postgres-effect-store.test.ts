import { describe, expect, it } from 'vitest';
import {
  aPostgresDatabase,
  aPostgresRunStore,
  postgresSkipReason,
} from '../../../testkit/store/a-postgres.ts';
import { createSharedDatabase } from '../../../testkit/store/shared-postgres.ts';
import { aNewRun } from '../../../testkit/workflow/a-run.ts';
import { anApprovalRow, anEffectRow } from '../../../testkit/workflow/effects/rows.ts';
import { testEffectStore } from '../../workflow/effects/effect-store.suite.ts';
import { PostgresEffectStore } from './postgres-effect-store.ts';

const why = postgresSkipReason === null ? '' : ` (skipped: ${postgresSkipReason})`;
const place = { runId: 'run1', step: 'pay', durability: 'full' } as const;

async function withRun() {
  const url = await createSharedDatabase('schema');
  const runs = await aPostgresRunStore({ url });
  await runs.create(aNewRun());
  const open = async () => new PostgresEffectStore(await aPostgresDatabase({ url }));
  return { runs, url, open, store: await open() };
}

describe.skipIf(postgresSkipReason !== null)(`the effect store in PostgreSQL${why}`, () => {
  testEffectStore(async () => {
    const { store, runs } = await withRun();
    return { store, signals: () => runs.signals('run1') };
  });

  it('keeps the first value of a signal, and the rows all the same', async () => {
    const { store, runs } = await withRun();
    const name = 'approval:a1';
    for (const payload of ['first', 'second']) {
      const approval = anApprovalRow({ reason: payload });
      await store.change(place, () => ({ approval, signal: { name, payload }, result: null }));
    }
    expect(await runs.signals('run1')).toEqual([{ name, payload: 'first' }]);
    expect(await store.approval('a1')).toMatchObject({ reason: 'second' });
  });

  it('lets each of several processes that race see what the one before wrote', async () => {
    const { open } = await withRun();
    const stores = await Promise.all([open(), open(), open()]);
    const dispatches = await Promise.all(
      Array.from({ length: 60 }, async (_, n) =>
        stores[n % 3]?.change(place, ({ effect }) => {
          const dispatch = (effect?.dispatch ?? 0) + 1;
          return { effect: anEffectRow({ dispatch }), result: dispatch };
        }),
      ),
    );
    const inOrder = dispatches.toSorted((a, b) => Number(a) - Number(b));
    expect(inOrder).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
  });

  it('says that the database is damaged where a row cannot be read', async () => {
    const { store, url } = await withRun();
    await store.change(place, () => ({ effect: anEffectRow(), result: null }));
    const database = await aPostgresDatabase({ url });
    await database.query(`UPDATE effects SET outcome = '{'`);
    await expect(store.effects('run1')).rejects.toMatchObject({ code: 'store.corrupt' });
    const [damaged, other] = await Promise.allSettled([
      store.change(place, (rows) => ({ result: rows })),
      store.change({ ...place, runId: 'run2' }, () => ({ result: 'kept' })),
    ]);
    expect(damaged).toMatchObject({ status: 'rejected', reason: { code: 'store.corrupt' } });
    expect(other).toEqual({ status: 'fulfilled', value: 'kept' });
  });
});
