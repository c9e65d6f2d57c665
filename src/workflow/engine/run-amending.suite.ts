import { expect, it } from 'vitest';
import type { JournalEntry, Lease, NewRunRecord, RunStore } from './run-store.ts';

/** A run that somebody executes, as two processes see it. */
export interface ClaimedRun {
  readonly store: RunStore;
  readonly other: RunStore;
  readonly clock: { nowMs: number };
  readonly lease: Lease;
}

export const settled = (key: string): JournalEntry => ({
  kind: 'settled',
  key,
  value: { of: key },
});

/** What every store of runs promises about changes by those who do not execute a run. */
export function testAmending(
  aClaimed: (parts?: Partial<NewRunRecord>) => Promise<ClaimedRun>,
): void {
  it('amends a run nobody executes, which then has something to do, and no other', async () => {
    const { store, other, clock, lease } = await aClaimed({ deadlineMs: 50_000 });
    await store.commit([{ lease, entries: [settled('a#1')] }], 'normal');
    await store.signal('run1', { name: 'old', payload: 1 });
    const forgotten = { kind: 'forgotten', paths: ['a'] } as const;
    const change = { entries: [forgotten], status: 'queued', dropSignals: ['old'] } as const;
    expect(await other.amend('run1', change)).toBe(false);
    await other.request('run1', 'cancel');
    await store.commit([{ lease, entries: [], status: 'cancelled', outcome: 'c' }], 'normal');
    expect(await other.amend('run1', { ...change, deadlineMs: 70_000 })).toBe(true);
    const record = await store.find(null, 'run1');
    expect(record).toMatchObject({
      status: 'queued',
      endedAt: null,
      request: null,
      deadlineMs: 70_000,
    });
    expect(record).not.toHaveProperty('outcome');
    expect(await store.journal('run1')).toEqual([settled('a#1'), forgotten]);
    expect(await store.signals('run1')).toEqual([]);
    expect(await store.unclaimed('embedded', 9)).toEqual(['run1']);
    expect(await other.amend('none', change)).toBe(false);
    expect(clock.nowMs).toBe(10_000);
  });

  it('amends a run only while it is as whoever amends it saw it', async () => {
    const { store, other, lease } = await aClaimed();
    const end = { status: 'failed', outcome: 1 } as const;
    await store.commit([{ lease, entries: [settled('a#1')], ...end }], 'normal');
    const change = { entries: [{ kind: 'forgotten', paths: ['a'] }], status: 'queued' } as const;
    const seen = (status: 'failed' | 'paused', entries: number): Promise<boolean> =>
      other.amend('run1', { ...change, seen: { status, entries } });
    expect(await seen('failed', 0)).toBe(false);
    expect(await seen('paused', 1)).toBe(false);
    expect(await seen('failed', 1)).toBe(true);
    expect(await seen('failed', 1)).toBe(false);
    expect(await store.journal('run1')).toHaveLength(2);
  });

  it('takes no cancellation back by amending a run that is not over', async () => {
    const { store, other, clock } = await aClaimed();
    clock.nowMs += 15_000;
    await store.request('run1', 'cancel', 'enough');
    expect(await other.amend('run1', { entries: [], status: 'running' })).toBe(true);
    expect(await store.find(null, 'run1')).toMatchObject({
      request: 'cancel',
      requestReason: 'enough',
    });
  });

  it('amends a run whose lease is over, and who had it is shut out', async () => {
    const { store, other, clock, lease } = await aClaimed();
    clock.nowMs += 15_000;
    expect(await other.amend('run1', { entries: [], status: 'paused' })).toBe(true);
    expect(await store.commit([{ lease, entries: [settled('a#1')] }], 'normal')).toEqual({
      lost: ['run1'],
    });
  });
}
