import type { Caller } from '../../contract/caller/index.ts';
import type { Json, Plan } from '../../contract/plan/index.ts';
import type { Decision, Resolution } from '../../contract/run/index.ts';
import { verdictSignal } from '../effects/approvals.ts';
import type { RunRecord, SignalRecord } from '../engine/run-store.ts';
import { NotWaitingError, ReservedSignalError, UnknownSignalError } from '../errors.ts';
import type { PictureWait } from '../interpret/index.ts';
import { checkStep } from './change-run.ts';
import { findRunUnderWay } from './find-run.ts';
import { readRun } from './read-run.ts';
import type { WorkflowsParts } from './workflows-parts.ts';

/** Names that answer what the run itself asked: only those who may answer send them. */
const reservedSignals = /^(?:approval|resolve|repair):/;

export async function sendSignal(
  parts: WorkflowsParts,
  caller: Caller,
  { runId, name, payload }: SignalRecord & { readonly runId: string },
): Promise<void> {
  if (name === '' || reservedSignals.test(name)) throw new ReservedSignalError(name);
  const run = await findRunUnderWay(parts.store, caller, { runId, wanted: 'signalled' });
  // A signal may come before the step that waits for it, but not where no step ever will.
  const known = signalsOf(run.plan);
  if (!known.includes(name)) throw new UnknownSignalError(run.runId, name, known);
  await send(parts, run, { name, payload });
}

function signalsOf({ steps }: Plan): readonly string[] {
  return steps.flatMap(({ wait, plan }) => {
    // Sub-plans of a stored run stand in the plan itself.
    if (typeof plan === 'object') return signalsOf(plan);
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
  const wanted = verdict === 'approved' ? 'approved' : 'denied';
  const run = await findRunUnderWay(parts.store, caller, { runId, wanted });
  const { picture } = await readRun(parts, run);
  if (step !== undefined) checkStep(run.runId, step, picture);
  const waits = picture.waitingFor.filter((wait) => wait.kind === 'approval');
  const chosen = waits.filter(
    (wait) =>
      (step === undefined || wait.step === step) &&
      (approvalId === undefined || wait.approvalId === approvalId),
  );
  const [only] = chosen;
  if (only === undefined) {
    const what = step === undefined ? 'for an approval' : `for an approval of step "${step}"`;
    throw new NotWaitingError(run.runId, `does not wait ${what}${whatElse(picture.waitingFor)}`);
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
  const { picture } = await readRun(parts, run);
  checkStep(run.runId, step, picture);
  const wait = picture.waitingFor.find((one) => one.kind === kind && one.step === step);
  if (!wait) {
    throw new NotWaitingError(
      run.runId,
      `has no step "${step}" that ${waits}${whatElse(picture.waitingFor)}`,
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

function whatElse(waits: readonly PictureWait[]): string {
  if (waits.length === 0) return '';
  const listed = waits.slice(0, maxListed).map(({ kind, step }) => `${kind} of "${step}"`);
  return `. It waits for: ${listed.join(', ')}`;
}
