import type { Caller } from '../../contract/caller/index.ts';
import type { Json, Plan } from '../../contract/plan/index.ts';
import type { Decision, Resolution } from '../../contract/run/index.ts';
import { verdictSignal } from '../effects/approvals.ts';
import type { RunRecord, SignalRecord } from '../engine/run-store.ts';
import {
  NotWaitingError,
  RunIsNotOverError,
  RunIsTakenError,
  ReservedSignalError,
  UnknownSignalError,
} from '../errors.ts';
import { isWithin, stepsToForget, type ProjectedWait } from '../interpret/index.ts';
import { checkStep, findRun, findRunUnderWay, isOver, readRun, requireHere } from './find-run.ts';
import { deadlineAfter } from './start-run.ts';
import type { WorkflowsParts } from './workflows-parts.ts';

/** How long cancelling and pausing wait for the owner of the run. */
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
  await requireHere(parts, run, { wanted: 'resumed', command: 'resume' });
  if (run.request === 'cancel') {
    throw new NotWaitingError(run.runId, 'is being cancelled: it cannot be resumed');
  }
  await parts.store.request(run.runId, null);
  // A paused run has no owner; where it has one, there was no pause to take back.
  if (run.status === 'paused')
    await parts.store.amend(run.runId, {
      entries: [],
      status: 'running',
      seen: { status: 'paused' },
    });
  await passOn(parts, run, null);
}

/** Has the owner of a run read its request; a run without one is claimed for that. */
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
  await requireHere(parts, run, { wanted: 'retried', command: 'retry' });
  const read = await readRun(parts, run);
  if (fromStep !== undefined) checkStep(run.runId, fromStep, read.projection);
  const paths = stepsToForget(read.recorded.plan, read.projection, fromStep);
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
    // Another retry may have succeeded meanwhile.
    seen: { status: run.status, entries: read.recorded.entries.length },
    dropSignals: signalsOf(read.recorded.signals, paths),
    deadlineMs: deadlineAfter(timers.now(), run.plan.timeoutMs, limits.maxRunMs),
  });
  if (!isAmended) throw new RunIsTakenError(run.runId);
  const executor = await parts.executor(run.engine);
  await executor.begin(run.runId, { isWaitedFor: false });
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

/** Names of answers to what the run asked: sent by the methods that check the right to answer. */
const reservedSignals = /^(?:approval|resolve|repair):/;

export async function sendSignal(
  parts: WorkflowsParts,
  caller: Caller,
  { runId, name, payload }: SignalRecord & { readonly runId: string },
): Promise<void> {
  if (name === '' || reservedSignals.test(name)) throw new ReservedSignalError(name);
  const run = await findRunUnderWay(parts.store, caller, { runId, wanted: 'signalled' });
  await requireHere(parts, run, { wanted: 'signalled', command: 'show' });
  // A signal may come before the step that waits for it, but not where no step ever will.
  const known = signalNames(run.plan);
  if (!known.includes(name)) throw new UnknownSignalError(run.runId, name, known);
  await send(parts, run, { name, payload });
}

function signalNames({ steps }: Plan): readonly string[] {
  return steps.flatMap(({ wait, plan }) => {
    // Sub-plans of a stored run stand in the plan itself.
    if (typeof plan === 'object') return signalNames(plan);
    if (wait === undefined) return [];
    return [typeof wait === 'string' ? wait : wait.signal];
  });
}

export async function decideApproval(
  parts: WorkflowsParts,
  caller: Caller,
  { runId, decision }: { readonly runId: string; readonly decision: Decision },
): Promise<void> {
  const { step, approvalId, verdict, reason } = decision;
  const run = await findRunUnderWay(parts.store, caller, { runId, wanted: verdict });
  const command = verdict === 'approved' ? 'approve' : 'deny';
  await requireHere(parts, run, { wanted: verdict, command });
  const { projection } = await readRun(parts, run);
  if (step !== undefined) checkStep(run.runId, step, projection);
  const waits = projection.waitingFor.filter((wait) => wait.kind === 'approval');
  const chosen = waits.filter(
    (wait) =>
      (step === undefined || wait.step === step) &&
      (approvalId === undefined || wait.approvalId === approvalId),
  );
  const [only] = chosen;
  if (only === undefined) {
    const what = step === undefined ? 'for an approval' : `for an approval of step "${step}"`;
    throw new NotWaitingError(run.runId, `does not wait ${what}${whatElse(projection.waitingFor)}`);
  }
  if (chosen.length > 1) {
    const steps = chosen.map((wait) => wait.step).join(', ');
    throw new NotWaitingError(run.runId, `waits for several approvals. Name the step: ${steps}`);
  }
  const row = await parts.approvals.decide(
    caller,
    { approvalId: only.approvalId },
    { verdict, ...(reason !== undefined && { reason }) },
  );
  const executor = await parts.executor(run.engine);
  await executor.signalled(run.runId, verdictSignal(row));
}

export async function resolveEffect(
  parts: WorkflowsParts,
  caller: Caller,
  answer: { readonly runId: string; readonly step: string; readonly resolution: Resolution },
): Promise<void> {
  const { resolution } = answer;
  const payload: Json =
    resolution.kind === 'happened' && resolution.output !== undefined
      ? { kind: 'happened', output: resolution.output }
      : { kind: resolution.kind };
  await answerStep(parts, caller, { ...answer, kind: 'resolve', payload });
}

export async function repairStep(
  parts: WorkflowsParts,
  caller: Caller,
  answer: {
    readonly runId: string;
    readonly step: string;
    readonly args: Readonly<Record<string, Json>> | null;
  },
): Promise<void> {
  const { args } = answer;
  const payload: Json = args === null ? null : { args: { ...args } };
  await answerStep(parts, caller, { ...answer, kind: 'repair', payload });
}

interface StepAnswer {
  readonly runId: string;
  readonly step: string;
  readonly kind: 'resolve' | 'repair';
  readonly payload: Json;
}

const answers = {
  resolve: { waits: 'waits to be told whether it has happened', wanted: 'resolved' },
  repair: { waits: 'waits for corrected arguments', wanted: 'repaired' },
} as const;

async function answerStep(
  parts: WorkflowsParts,
  caller: Caller,
  { runId, step, kind, payload }: StepAnswer,
): Promise<void> {
  const { waits, wanted } = answers[kind];
  const run = await findRunUnderWay(parts.store, caller, { runId, wanted });
  await requireHere(parts, run, { wanted, command: 'show' });
  const { projection } = await readRun(parts, run);
  checkStep(run.runId, step, projection);
  const wait = projection.waitingFor.find((one) => one.kind === kind && one.step === step);
  if (!wait) {
    throw new NotWaitingError(
      run.runId,
      `has no step "${step}" that ${waits}${whatElse(projection.waitingFor)}`,
    );
  }
  await send(parts, run, { name: wait.signal, payload });
}

async function send(parts: WorkflowsParts, run: RunRecord, signal: SignalRecord): Promise<void> {
  const isFirst = await parts.store.signal(run.runId, signal);
  if (!isFirst) {
    throw new NotWaitingError(
      run.runId,
      `got "${signal.name}" before, and the first value counts: nothing was changed`,
    );
  }
  const executor = await parts.executor(run.engine);
  await executor.signalled(run.runId, signal);
}

const maxListed = 5;

function whatElse(waits: readonly ProjectedWait[]): string {
  if (waits.length === 0) return '';
  const listed = waits.slice(0, maxListed).map(({ kind, step }) => `${kind} of "${step}"`);
  return `. It waits for: ${listed.join(', ')}`;
}
