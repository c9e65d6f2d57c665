import type { Caller } from '../../contract/caller/index.ts';
import { nearest } from '../../kernel/index.ts';
import type { RunRecord } from '../engine/run-store.ts';
import {
  NotWaitingError,
  RunIsNotOverError,
  RunIsTakenError,
  UnknownStepError,
} from '../errors.ts';
import { isWithin, stepsToForget, type RunPicture } from '../interpret/index.ts';
import { findRun, findRunUnderWay, isOver } from './find-run.ts';
import { readRun } from './read-run.ts';
import { deadlineAfter } from './start-run.ts';
import type { WorkflowsParts } from './workflows-parts.ts';

/** How long cancelling and pausing wait until whoever executes the run has done it. */
const doneLimitMs = 12_000;
const lookMs = 50;

/** What is under way reaches the tools as a cancellation; waits a while for the run to be over. */
export async function cancelRun(
  parts: WorkflowsParts,
  caller: Caller,
  { runId, reason }: { readonly runId: string; readonly reason: string | undefined },
): Promise<void> {
  const run = await findRunUnderWay(parts.store, caller, { runId, wanted: 'cancelled' });
  await parts.store.request(run.runId, 'cancel', reason);
  await passOn(parts, run, 'cancel');
  await until(parts, run, ({ status }) => isOver(status));
}

export async function pauseRun(
  parts: WorkflowsParts,
  caller: Caller,
  runId: string,
): Promise<void> {
  const run = await findRunUnderWay(parts.store, caller, { runId, wanted: 'paused' });
  if (run.status === 'paused') return;
  await parts.store.request(run.runId, 'pause');
  await passOn(parts, run, 'pause');
  await until(parts, run, ({ status }) => isOver(status) || status === 'paused');
}

export async function resumeRun(
  parts: WorkflowsParts,
  caller: Caller,
  runId: string,
): Promise<void> {
  const run = await findRunUnderWay(parts.store, caller, { runId, wanted: 'resumed' });
  if (run.request === 'cancel') {
    throw new NotWaitingError(run.runId, 'is being cancelled: it cannot be resumed');
  }
  await parts.store.request(run.runId, null);
  // Nobody executes a paused run; where somebody does, there was nothing to take back.
  if (run.status === 'paused')
    await parts.store.amend(run.runId, {
      entries: [],
      status: 'running',
      seen: { status: 'paused' },
    });
  await passOn(parts, run, null);
}

/** Has the executor of a run look at what is asked of it, and one who has it where nobody did. */
async function passOn(
  parts: WorkflowsParts,
  run: RunRecord,
  request: RunRecord['request'],
): Promise<void> {
  const executor = await parts.executor(run.engine);
  await executor.requested(run.runId, request);
}

async function until(
  { store, timers }: WorkflowsParts,
  { runId }: RunRecord,
  isDone: (run: RunRecord) => boolean,
): Promise<void> {
  const giveUpAtMs = timers.now() + doneLimitMs;
  while (timers.now() < giveUpAtMs) {
    const run = await store.find(null, runId);
    if (!run || isDone(run)) return;
    await new Promise<void>((resolve) => void setTimeout(resolve, lookMs));
  }
}

/** What failed, and what was skipped because of it, is tried again; all else keeps its outcome. */
export async function retryRun(
  parts: WorkflowsParts,
  caller: Caller,
  { runId, fromStep }: { readonly runId: string; readonly fromStep: string | undefined },
): Promise<void> {
  const { store, timers, limits } = parts;
  const run = await findRun(store, caller, runId);
  if (!isOver(run.status)) throw new RunIsNotOverError(run, 'retried');
  const read = await readRun(parts, run);
  if (fromStep !== undefined) checkStep(run.runId, fromStep, read.picture);
  const paths = stepsToForget(read.recorded.plan, read.picture, fromStep);
  if (paths.length === 0 && run.status === 'succeeded') {
    throw new NotWaitingError(
      run.runId,
      'has succeeded, so there is nothing to try again. Name a step to run it and all that need it anew',
    );
  }
  const isAmended = await store.amend(run.runId, {
    // Also where nothing is: every retry is a round of its own, which engines tell apart by these entries.
    entries: [{ kind: 'forgotten', paths }],
    status: 'queued',
    // Somebody else may have tried again meanwhile, and succeeded.
    seen: { status: run.status, entries: read.recorded.entries.length },
    dropSignals: signalsOf(read.recorded.signals, paths),
    deadlineMs: deadlineAfter(timers.now(), run.plan.timeoutMs, limits.maxRunMs),
  });
  if (!isAmended) throw new RunIsTakenError(run.runId);
  const executor = await parts.executor(run.engine);
  await executor.begin(run.runId, { isWaitedFor: false });
}

export function checkStep(runId: string, step: string, { steps }: RunPicture): void {
  if (steps.has(step)) return;
  throw new UnknownStepError({ runId, step }, nearest(step, steps.keys()));
}

const answerPattern = /^(?:resolve|repair):([^:]+)/;

/** Answers that were given to steps that run anew: they must not count again. */
function signalsOf(
  signals: readonly { readonly name: string }[],
  paths: readonly string[],
): readonly string[] {
  const forgotten = new Set(paths);
  return signals
    .map(({ name }) => name)
    .filter((name) => isWithin(answerPattern.exec(name)?.[1] ?? '', forgotten));
}
