import { expect, it, vi } from 'vitest';
import { silentLog, type Log, type Timers } from '../../kernel/index.ts';
import type { Lease, Release, RunOwner } from '../engine/run-store.ts';
import { WorkerLeases, type WorkerLeasesParts } from './run-attempt.ts';

/** Time that goes on when it is told to. */
function aClock(): Timers & { pass(): Promise<void> } {
  const waiting = new Set<() => void>();
  return {
    now: () => 0,
    after: (_ms, run) => {
      waiting.add(run);
      return () => waiting.delete(run);
    },
    async pass() {
      const due = [...waiting];
      waiting.clear();
      for (const run of due) run();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** The part of a run store that is about leases, in memory. */
class LeaseShelf {
  readonly owners = new Map<string, string>();
  readonly released: Release[] = [];
  isBroken = false;
  #epoch = 0;

  async claim([runId = '']: readonly string[], { id }: RunOwner): Promise<readonly Lease[]> {
    if (this.owners.has(runId)) return [];
    this.owners.set(runId, id);
    this.#epoch += 1;
    return [{ runId, epoch: this.#epoch, untilMs: 1 }];
  }

  async renew(leases: readonly Lease[]): Promise<readonly Lease[]> {
    if (this.isBroken) throw new Error('locked');
    return leases.filter(({ runId }) => this.owners.get(runId) === 'me');
  }

  async release(releases: readonly Release[]): Promise<void> {
    if (this.isBroken) throw new Error('locked');
    this.released.push(...releases);
    for (const { lease } of releases) this.owners.delete(lease.runId);
  }
}

function leasesOn(shelf: LeaseShelf, clock: Timers, log: Log = silentLog): WorkerLeases {
  const identity = { pid: 1, processStart: '' };
  // Of a store it uses just these three.
  const store = shelf as unknown as WorkerLeasesParts['store'];
  const times = { leaseMs: 3, renewMs: 1 };
  return new WorkerLeases({ store, identity, workerId: 'me', ...times, timers: clock, log });
}

it('has a run once, and gives it back as one that has nothing to do', async () => {
  const shelf = new LeaseShelf();
  const leases = leasesOn(shelf, aClock());
  const lease = await leases.take('a', () => {});
  if (!lease) throw new Error('it was free');
  expect(await leases.take('a', () => {})).toBeUndefined();
  const back = leases.giveBack(lease, false);
  const again = leases.take('a', () => {});
  await back;
  expect(await again).toMatchObject({ epoch: 2 });
  expect(shelf.released).toMatchObject([{ lease, idle: { untilMs: null } }]);
});

it('has no run that somebody else has', async () => {
  const shelf = new LeaseShelf();
  shelf.owners.set('a', 'other');
  expect(await leasesOn(shelf, aClock()).take('a', () => {})).toBeUndefined();
});

it('does not give back what ended with the run, or is not its own', async () => {
  const shelf = new LeaseShelf();
  const leases = leasesOn(shelf, aClock());
  const lease = await leases.take('a', () => {});
  if (!lease) throw new Error('it was free');
  await leases.giveBack({ ...lease, epoch: 9 }, false);
  await leases.giveBack(lease, true);
  expect(shelf.released).toEqual([]);
});

it('says when a lease is gone, and keeps renewing the others', async () => {
  const shelf = new LeaseShelf();
  const clock = aClock();
  const leases = leasesOn(shelf, clock);
  const onLost = vi.fn();
  const onKept = vi.fn();
  await leases.take('a', onLost);
  await leases.take('b', onKept);
  await clock.pass();
  expect(onLost).not.toHaveBeenCalled();
  shelf.owners.set('a', 'other');
  await clock.pass();
  expect(onLost).toHaveBeenCalledOnce();
  expect(onKept).not.toHaveBeenCalled();
  leases.close();
  shelf.owners.set('b', 'other');
  await clock.pass();
  expect(onKept).not.toHaveBeenCalled();
});

it('goes on when the store cannot be written', async () => {
  const shelf = new LeaseShelf();
  const clock = aClock();
  const warn = vi.fn();
  const leases = leasesOn(shelf, clock, { ...silentLog, warn });
  const onLost = vi.fn();
  const lease = await leases.take('a', onLost);
  shelf.isBroken = true;
  await clock.pass();
  if (lease) await leases.giveBack(lease, false);
  expect(onLost).not.toHaveBeenCalled();
  expect(warn.mock.calls.map(([message]) => message)).toEqual([
    'leases not renewed',
    'lease not given back',
  ]);
});
