import { reportError } from '../../kernel/index.ts';
import type { WorkflowsParts } from './workflows-parts.ts';

const dayMs = 86_400_000;
/** Removed in one go: others wait that long for the database. */
const batchSize = 100;
const maxBatches = 1_000;
/** What the step cache keeps at most, and for how long. */
const cacheBounds = { maxEntries: 10_000, maxAgeMs: 30 * dayMs };

/** Removes runs that ended too long ago, and what only they needed. Gives how many went. */
export async function pruneRuns(parts: WorkflowsParts): Promise<number> {
  const { artifacts, cache, timers, log } = parts;
  let removed = 0;
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const pruned = await pruneBatch(parts);
    removed += pruned;
    if (pruned < batchSize) break;
  }
  await cache.prune({
    beforeMs: timers.now() - cacheBounds.maxAgeMs,
    maxEntries: cacheBounds.maxEntries,
  });
  const { removed: collected } = await artifacts.collect();
  if (removed + collected > 0) log.info('pruned runs', { removed, artifacts: collected });
  return removed;
}

/**
 * The same for a few of them, for processes that end soon: without a serving process the store does not
 * grow forever. Failures are logged.
 */
export async function pruneSome(parts: WorkflowsParts): Promise<void> {
  try {
    if ((await pruneBatch(parts)) > 0) await parts.artifacts.collect();
  } catch (error) {
    parts.log.warn('pruning runs failed', { error: reportError(error) });
  }
}

async function pruneBatch(parts: WorkflowsParts): Promise<number> {
  const { store, timers, limits } = parts;
  const pruned = await store.prune(timers.now() - limits.retentionMs, batchSize);
  return pruned.length;
}

/** Now and once a day, until the returned function is called. What goes wrong is logged: it is tried again. */
export function keepPruning(parts: WorkflowsParts): () => void {
  let cancel = (): void => {};
  let isStopped = false;
  const prune = async (): Promise<void> => {
    try {
      await pruneRuns(parts);
    } catch (error) {
      parts.log.warn('pruning runs failed', { error: reportError(error) });
    }
    if (!isStopped) cancel = parts.timers.after(dayMs, () => void prune());
  };
  void prune();
  return () => {
    isStopped = true;
    cancel();
  };
}
