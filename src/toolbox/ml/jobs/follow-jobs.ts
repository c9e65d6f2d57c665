import { setTimeout } from 'node:timers/promises';
import type { TrainingEngine } from '../../../contract/ml/index.ts';

/** One step and its checkpoint; what takes longer is left to the checkpoint before. */
const maxCloseMs = 30_000;

export interface FollowedEngines {
  readonly engines: () => Promise<readonly TrainingEngine[]>;
  /** Ends what runs, and returns when its checkpoints are written. */
  readonly close: () => Promise<void>;
}

/**
 * Engines whose runs are waited for. A cancelled call returns at once, and its run goes on to its checkpoint: a server
 * that closed meanwhile would kill it before.
 */
export function followEngines(engines: () => Promise<readonly TrainingEngine[]>): FollowedEngines {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const follow = (engine: TrainingEngine): TrainingEngine => ({
    name: engine.name,
    probe: () => engine.probe(),
    plan: (job) => engine.plan(job),
    run(job, watch) {
      const signal = AbortSignal.any([watch.signal, closing.signal]);
      const run = engine.run(job, { ...watch, signal });
      running.add(run);
      const forget = (): void => void running.delete(run);
      run.then(forget, forget);
      return run;
    },
  });
  return {
    engines: async () => (await engines()).map(follow),
    close: async () => {
      closing.abort();
      const isOver = new AbortController();
      const limit = setTimeout(maxCloseMs, undefined, { signal: isOver.signal }).catch(() => {});
      await Promise.race([Promise.allSettled(running), limit]);
      isOver.abort();
    },
  };
}
