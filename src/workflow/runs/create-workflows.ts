import type { Caller } from '../../contract/caller/index.ts';
import type { RunView, Workflows } from '../../contract/run/index.ts';
import type { EmbeddedEngine } from '../embedded/index.ts';
import {
  decideApproval,
  repairStep,
  resolveEffect,
  sendSignal,
  cancelRun,
  pauseRun,
  resumeRun,
  retryRun,
} from './change-run.ts';
import { describeRun, createOutputShower } from './describe-run.ts';
import { findWholeRun, markInterrupted, replayRun } from './find-run.ts';
import { followRun } from './follow-run.ts';
import { readJournal } from './read-journal.ts';
import { forkRun, startRun } from './start-run.ts';
import type { WorkflowsParts, RunExecutor } from './workflows-parts.ts';

/** Plans and runs as the faces use them. */
export function createWorkflows(parts: WorkflowsParts): Workflows {
  const { store, plans } = parts;
  const describing = {
    shower: createOutputShower(parts.artifacts),
    effects: parts.effects,
  };
  const show = async (caller: Caller, runId: string): Promise<RunView> => {
    const whole = await findWholeRun(store, caller, runId);
    const { record } = whole;
    const executor = await parts.executor(record.engine);
    return describeRun(await replayRun(parts, whole), describing, executor.underway(record.runId));
  };
  return {
    check: (caller, source, { optimize = false } = {}) => plans.check(caller, source, { optimize }),
    draw: async (plan, format) => plans.draw(plan, format),
    start: (caller, run) => startRun(parts, caller, run),
    follow: (caller, runId, options) => followRun(parts, show, { caller, runId, options }),
    list: async (caller, filter) => markInterrupted(store, await store.list(caller, filter)),
    show: async (caller, runId) => {
      const view = await show(caller, runId);
      const [marked = view] = await markInterrupted(store, [view]);
      return marked;
    },
    journal: (caller, runId, range) => readJournal(store, caller, { runId, ...range }),
    cancel: (caller, runId, reason) => cancelRun(parts, caller, { runId, reason }),
    pause: (caller, runId) => pauseRun(parts, caller, runId),
    resume: (caller, runId) => resumeRun(parts, caller, runId),
    retry: (caller, runId, fromStep) => retryRun(parts, caller, { runId, fromStep }),
    fork: (caller, runId, changes) => forkRun(parts, caller, { runId, changes }),
    decide: (caller, runId, decision) => decideApproval(parts, caller, { runId, decision }),
    signal: (caller, runId, ...[name, payload]) =>
      sendSignal(parts, caller, { runId, name, payload }),
    resolve: (caller, runId, ...[step, resolution]) =>
      resolveEffect(parts, caller, { runId, step, resolution }),
    repair: (caller, runId, ...[step, args]) => repairStep(parts, caller, { runId, step, args }),
  };
}

/**
 * The engine of this process as an executor. `isStaying` tells whether the process is there to execute
 * runs: one that is not must not begin a call only to abort it when it ends.
 */
export function embeddedExecutor(engine: EmbeddedEngine, isStaying: () => boolean): RunExecutor {
  return {
    async begin(runId, { isWaitedFor, depth }) {
      // Settles when the run is over; callers follow it for that.
      if (isWaitedFor || isStaying()) void engine.execute(runId, depth);
    },
    signalled: async () => engine.look(),
    async requested(runId, request) {
      engine.look();
      // A run without an owner is claimed to serve the request. Ending and pausing begin no call.
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
