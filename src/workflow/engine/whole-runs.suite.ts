import { expect, it } from 'vitest';
import { localCaller } from '../../contract/caller/index.ts';
import { claimOne } from '../../../testkit/workflow/a-run.ts';
import { settled, type ClaimedRun } from './run-amending.suite.ts';
import type { NewRunRecord, RunStore } from './run-store.ts';

const stranger = { id: 'stranger' };

/** What every store of runs promises about runs that are read with all that was recorded of them. */
export function testWholeRuns(
  aClaimed: (parts?: Partial<NewRunRecord>) => Promise<ClaimedRun>,
): void {
  it('gives a run whole, also after others went on with it', async () => {
    const { store, other, lease } = await aClaimed({
      signals: [{ name: 'go', payload: 1 }],
    });
    const whole = async (from: RunStore): Promise<unknown> => ({
      record: await from.find(localCaller, 'run1'),
      entries: await from.journal('run1'),
      signals: await from.signals('run1'),
    });
    await store.commit([{ lease, entries: [settled('a#1')] }], 'normal');
    await store.commit([{ lease, entries: [settled('b#1'), settled('c#1')] }], 'normal');
    expect((await store.findWhole(localCaller, 'run1'))?.entries).toHaveLength(3);
    for (const each of [store, other]) {
      expect(await each.findWhole(localCaller, 'run1')).toEqual(await whole(other));
    }
    await store.release([{ lease }]);
    const theirs = (await claimOne(other, 'run1'))!;
    await other.commit([{ lease: theirs, entries: [settled('d#1')] }], 'normal');
    await store.commit([{ lease, entries: [settled('d#1')] }], 'normal');
    expect((await store.findWhole(localCaller, 'run1'))?.entries).toHaveLength(4);
    expect(await store.findWhole(localCaller, 'run1')).toEqual(await whole(other));
    expect(await store.findWhole(stranger, 'run1')).toBeUndefined();
    expect(await store.findWhole(localCaller, 'none')).toBeUndefined();
  });

  it('gives a run whole right after its end, as it is read later', async () => {
    const { store, other, lease } = await aClaimed();
    await store.commit([{ lease, entries: [settled('a#1')] }], 'normal');
    const end = { status: 'succeeded', outcome: { output: { value: 1 } } } as const;
    await store.commit([{ lease, entries: [], ...end }], 'normal');
    const whole = await store.findWhole(localCaller, 'run1');
    expect(whole).toMatchObject({ record: { status: 'succeeded' }, entries: [settled('a#1')] });
    expect(whole).toEqual(await other.findWhole(localCaller, 'run1'));
    expect(await store.findWhole(stranger, 'run1')).toBeUndefined();
  });

  it('gives an ended run with what came for it before its end', async () => {
    const { store, other, lease } = await aClaimed();
    await other.signal('run1', { name: 'late', payload: 1 });
    const end = { status: 'failed', outcome: 1 } as const;
    await store.commit([{ lease, entries: [], ...end }], 'normal');
    const whole = await store.findWhole(localCaller, 'run1');
    expect(whole).toMatchObject({ record: { signals: 1 }, signals: [{ name: 'late' }] });
    expect(whole).toEqual(await other.findWhole(localCaller, 'run1'));
  });
}
