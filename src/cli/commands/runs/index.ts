import { type Invocation, withSystem } from '../../invocation.ts';
import { actionsOf } from '../../run-action.ts';
import {
  cancel,
  decide,
  fork,
  goingOn,
  pause,
  repair,
  resolve,
  resume,
  retry,
  signal,
  stopping,
} from './change-run.ts';
import { listRuns, showRun, withWholeRunId } from './show-run.ts';
import { followRun } from './follow-run.ts';
import { explainRun } from '../agent-choices.ts';

export const run = actionsOf('runs', {
  list: { run: listRuns, takes: [], options: ['limit', 'status'] },
  show: { run: showRun, takes: ['RUN', 'STEP?'], options: [] },
  why: { run: explainRunById, takes: ['RUN'], options: [] },
  watch: { run: watchRun, takes: ['RUN'], options: [] },
  cancel: { run: stopping(cancel), takes: ['RUN'], options: ['reason'] },
  pause: { run: stopping(pause), takes: ['RUN'], options: [] },
  resume: { run: goingOn(resume), takes: ['RUN'], options: ['detach'] },
  retry: { run: goingOn(retry), takes: ['RUN'], options: ['detach', 'from'] },
  fork: {
    run: goingOn(fork),
    takes: ['RUN'],
    options: ['detach', 'from', 'input', 'inputsFile', 'args'],
  },
  approve: {
    run: goingOn(decide('approved')),
    takes: ['RUN?', 'STEP?'],
    options: ['detach', 'reason', 'seen'],
  },
  deny: { run: goingOn(decide('denied')), takes: ['RUN?', 'STEP?'], options: ['detach', 'reason'] },
  signal: { run: goingOn(signal), takes: ['RUN', 'NAME', 'PAYLOAD?'], options: ['detach'] },
  resolve: {
    run: goingOn(resolve),
    takes: ['RUN', 'STEP'],
    options: ['detach', 'happened', 'notHappened', 'output'],
  },
  repair: { run: goingOn(repair), takes: ['RUN', 'STEP'], options: ['detach', 'args', 'giveUp'] },
});

/** Which agents were chosen, and why. */
function explainRunById(invocation: Invocation, operands: readonly string[]): Promise<number> {
  return withSystem(invocation, {}, async (system) => {
    const [runId] = await withWholeRunId(invocation, system, operands);
    return explainRun(invocation, system, runId);
  });
}

/** Follows a run that others execute. */
function watchRun(invocation: Invocation, operands: readonly string[]): Promise<number> {
  return withSystem(invocation, {}, async (system) => {
    const [runId] = await withWholeRunId(invocation, system, operands);
    return followRun(invocation, { system, runId, execute: false, onInterrupt: 'leave' });
  });
}
