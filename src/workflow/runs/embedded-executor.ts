import type { EmbeddedEngine } from '../embedded/index.ts';
import type { RunExecutor } from './workflows-parts.ts';

/**
 * The engine of this process as an executor. `isStaying` tells whether the process is there to execute
 * runs: one that is not must not begin a call only to abort it when it ends.
 */
export function embeddedExecutor(engine: EmbeddedEngine, isStaying: () => boolean): RunExecutor {
  return {
    async begin(runId, { isWaitedFor, depth }) {
      // Settles when the run is over; who wants to know follows it.
      if (isWaitedFor || isStaying()) void engine.execute(runId, depth);
    },
    signalled: async () => engine.look(),
    async requested(runId, request) {
      engine.look();
      // A run nobody executes needs somebody who does what is asked. Ending and pausing begin no call.
      if (request !== null || isStaying()) void engine.execute(runId);
    },
    trouble: (runId) => engine.trouble(runId),
    underway: (runId) => engine.underway(runId),
    onChange: (runId, listener) =>
      engine.onChange((changed, isTurn) => {
        listener(changed === null ? 'elsewhere' : isTurn ? 'turn' : 'progress');
      }, runId),
  };
}
