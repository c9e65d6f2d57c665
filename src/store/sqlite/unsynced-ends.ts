import type { RunChange } from '../../workflow/engine/index.ts';

/**
 * Runs whose new status is committed and not yet on the disk: who reads it here waits, so that nobody is
 * told of an end that the loss of power could take back.
 */
export class UnsyncedEnds {
  readonly #syncs = new Map<string, Promise<void>>();

  /** Gives what settles when they are; undefined when there are none. */
  add(changes: readonly RunChange[], synced: () => Promise<void>): Promise<void> | undefined {
    const runIds = changes.flatMap(({ status, lease }) => (status ? [lease.runId] : []));
    if (runIds.length === 0) return undefined;
    const sync = synced();
    for (const runId of runIds) this.#syncs.set(runId, sync);
    const remove = (): void => {
      for (const runId of runIds) if (this.#syncs.get(runId) === sync) this.#syncs.delete(runId);
    };
    // Whoever waits for it hears why it failed.
    sync.then(remove, remove);
    return sync;
  }

  /** Settles when the statuses of all runs that begin like that are on the disk; undefined when they are. */
  of(prefix: string): Promise<unknown> | undefined {
    if (this.#syncs.size === 0) return undefined;
    const one = this.#syncs.get(prefix);
    if (one) return one;
    const meant = [...this.#syncs].filter(([runId]) => runId.startsWith(prefix));
    return meant.length === 0 ? undefined : Promise.all(meant.map(([, sync]) => sync));
  }
}
