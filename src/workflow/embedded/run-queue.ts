import { setImmediate } from 'node:timers/promises';

export interface NestedTaking {
  /** How deep a run is; undefined when that cannot be read. */
  readonly depthOf: (runId: string) => Promise<number | undefined>;
  /** How many more runs of a depth may be executed. */
  readonly freeSlotsAt: (depth: number) => number;
}

/** Depths looked up before the event loop goes on. */
const lookedUpPerTick = 64;

/**
 * Runs that wait for a slot, in order.
 *
 * Those a step of another run may wait for can be taken past the others: every depth has slots of its
 * own, and the deepest runs wait for none, so no run waits for a slot that is never released.
 */
export class RunQueue {
  readonly #all = new Set<string>();
  readonly #unknown = new Set<string>();
  readonly #nested = new Map<string, number>();

  get size(): number {
    return this.#all.size;
  }

  add(runId: string, depth: number | undefined): void {
    this.#all.add(runId);
    this.#know(runId, depth);
  }

  /** Takes all of them out. */
  clear(): readonly string[] {
    return this.take(this.#all.size);
  }

  take(count: number): readonly string[] {
    const taken = [...this.#all.values().take(count)];
    for (const runId of taken) this.#remove(runId);
    return taken;
  }

  async takeNested({ depthOf, freeSlotsAt }: NestedTaking): Promise<readonly string[]> {
    let lookedUp = 0;
    for (const runId of this.#unknown) {
      const depth = await depthOf(runId);
      this.#unknown.delete(runId);
      if (this.#all.has(runId)) this.#know(runId, depth ?? 0);
      lookedUp += 1;
      if (lookedUp % lookedUpPerTick === 0) await setImmediate();
    }
    const taken: string[] = [];
    const room = new Map<number, number>();
    for (const [runId, depth] of this.#nested) {
      const left = room.get(depth) ?? freeSlotsAt(depth);
      room.set(depth, left - 1);
      if (left > 0) taken.push(runId);
    }
    for (const runId of taken) this.#remove(runId);
    return taken;
  }

  #know(runId: string, depth: number | undefined): void {
    if (depth === undefined) this.#unknown.add(runId);
    else if (depth > 0) this.#nested.set(runId, depth);
  }

  #remove(runId: string): void {
    this.#all.delete(runId);
    this.#unknown.delete(runId);
    this.#nested.delete(runId);
  }
}
