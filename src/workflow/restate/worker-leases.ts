import type { Log, ProcessIdentity, Timers } from '../../kernel/index.ts';
import type { Lease, RunStore } from '../engine/run-store.ts';

export interface WorkerLeasesParts {
  readonly store: RunStore;
  readonly identity: ProcessIdentity;
  /** Tells this worker from others of the same process. */
  readonly workerId: string;
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly timers: Timers;
  readonly log: Log;
}

interface Held {
  readonly lease: Lease;
  readonly onLost: () => void;
}

/** The leases of the runs a worker executes, renewed in time. */
export class WorkerLeases {
  readonly #parts: WorkerLeasesParts;
  readonly #held = new Map<string, Held>();
  /** Leases on their way back: whoever wants the same run again waits for them. */
  readonly #returning = new Map<string, Promise<void>>();
  #stopTimer: (() => void) | undefined;

  constructor(parts: WorkerLeasesParts) {
    this.#parts = parts;
  }

  /** Undefined when somebody else has the run. */
  async take(runId: string, onLost: () => void): Promise<Lease | undefined> {
    await this.#returning.get(runId);
    // Restate gave the run anew to this very process, whose earlier attempt does not know yet that it is over.
    if (this.#held.has(runId)) return undefined;
    const { store, identity, workerId, leaseMs } = this.#parts;
    const [lease] = await store.claim([runId], { id: workerId, ...identity, leaseMs });
    if (lease === undefined) return undefined;
    this.#held.set(runId, { lease, onLost });
    this.#schedule();
    return lease;
  }

  /** Gives a lease back. The run has nothing to do for anybody but Restate, which sees to it. */
  async giveBack(lease: Lease, isOver: boolean): Promise<void> {
    const { runId } = lease;
    if (this.#held.get(runId)?.lease.epoch !== lease.epoch) return;
    this.#held.delete(runId);
    if (isOver) return;
    const returned = this.#release(lease);
    this.#returning.set(runId, returned);
    await returned;
    this.#returning.delete(runId);
  }

  /** After the worker took its last run. */
  close(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  async #release(lease: Lease): Promise<void> {
    const { store, log } = this.#parts;
    await store
      .release([{ lease, idle: { untilMs: null, signals: Number.MAX_SAFE_INTEGER } }])
      .catch((error: unknown) => log.warn('lease not given back', { runId: lease.runId, error }));
  }

  #schedule(): void {
    this.#stopTimer ??= this.#parts.timers.after(this.#parts.renewMs, () => {
      this.#stopTimer = undefined;
      void this.#renew().finally(() => {
        if (this.#held.size > 0) this.#schedule();
      });
    });
  }

  async #renew(): Promise<void> {
    const held = [...this.#held.values()];
    try {
      const renewed = await this.#parts.store.renew(held.map(({ lease }) => lease));
      const valid = new Map(renewed.map((lease) => [lease.runId, lease.epoch]));
      for (const { lease, onLost } of held) {
        const isValid = valid.get(lease.runId) === lease.epoch;
        if (!isValid && this.#held.get(lease.runId)?.lease.epoch === lease.epoch) onLost();
      }
    } catch (error) {
      this.#parts.log.warn('leases not renewed', { error });
    }
  }
}
