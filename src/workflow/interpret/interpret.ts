import type { RunScope } from '../engine/run-scope.ts';
import { openFrame } from './frame.ts';
import { issueActivity } from './issue-activity.ts';
import { onSettled } from './on-settled.ts';
import { prepareProgram } from './program.ts';
import { Queue } from './queue.ts';
import type { InterpretOptions, PlannedRun, RunOutcome } from './run-outcome.ts';
import { isStopped, type RunState } from './run-state.ts';
import { startStep, beginWork } from './start.ts';

/**
 * The one coroutine of a run. Each step starts the moment its own inputs are there. Waits only for
 * `scope.next`, and passes on what that throws.
 *
 * What it asks for depends on the order in which keys settle, not on how they were put into batches.
 */
export async function interpret(
  { plan, input, program = prepareProgram(plan) }: PlannedRun,
  scope: RunScope,
  options: InterpretOptions,
): Promise<RunOutcome> {
  const run: RunState = {
    scope,
    options,
    outstanding: new Map(),
    ready: new Queue(),
    queued: new Queue(),
    active: 0,
    outcome: undefined,
  };
  openFrame(run, { program, input: { value: { ...input } } });
  goOn(run);
  while (run.outcome === undefined) {
    if (run.outstanding.size === 0) throw new Error(`Run ${scope.runId} waits for nothing`);
    for (const { key, value } of await scope.next()) {
      const task = run.outstanding.get(key);
      if (task === undefined) continue;
      run.outstanding.delete(key);
      onSettled(run, task, value);
      goOn(run);
      if (run.outcome !== undefined) break;
    }
  }
  return run.outcome;
}

/** Starts what can start. Ends, because each step, element and plan within is started once. */
function goOn(run: RunState): void {
  for (;;) {
    const ready = run.ready.take();
    if (ready !== undefined) {
      if (isStopped(ready.frame)) continue;
      if (ready.group === undefined) startStep(run, ready);
      else beginWork(run, ready);
      continue;
    }
    if (run.active >= run.options.maxParallel) return;
    const queued = run.queued.take();
    if (queued === undefined) return;
    if (!isStopped(queued.frame)) issueActivity(run, queued);
  }
}
