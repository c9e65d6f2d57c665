import type { Json } from '../../contract/plan/index.ts';
import type { ToolResult } from '../../contract/tool/index.ts';
import { reportError } from '../../kernel/index.ts';
import type { CallOutcome } from '../engine/activity-data.ts';
import {
  type ActivityParts,
  failed,
  succeeded,
  dispatch,
  effectIdOf,
  type StepCall,
} from './step-call.ts';
import {
  failureOfResult,
  failureOfThrown,
  type CallFailure,
  givenBy,
  type GivenResult,
} from './call-result.ts';
import type { Begun, EffectStart, Settlement } from './effect-ledger.ts';
import { findOut, isKnownByKey } from './find-out.ts';
import { toolDigest } from './effect-ports.ts';

type Sent = Extract<Begun, { readonly kind: 'dispatch' }>;
type Open = Extract<Begun, { readonly kind: 'open' }>;

/**
 * Calls a tool that must not be called twice.
 *
 * 1. The ledger knows of the call before it is sent, and of its outcome before the run does.
 * 2. A call whose end is not known is looked up; where that does not help, the outcome is `unknown`.
 * 3. A cancellation leaves the row as dispatched: its outcome is looked up when the step is
 *    requested again.
 */
export async function callOnce(parts: ActivityParts, call: StepCall): Promise<CallOutcome> {
  const { ledger, faultPoint } = parts;
  const start = await startOf(parts, call);
  faultPoint('effects.begin.before');
  const begun = await ledger.begin(start);
  if (begun.kind !== 'open') return proceed(parts, call, begun);

  faultPoint('effects.reconcile.before');
  const found = isKnownByKey(call)
    ? ({ kind: 'not-happened' } as const)
    : await findOut(parts, call, { ...begun, isOrphaned: await isOrphaned(parts, call, begun) });
  faultPoint('effects.reconcile.after');
  switch (found.kind) {
    case 'happened':
      return settleHappened(parts, call, { ...begun, given: found });
    case 'not-happened': {
      const notHappened = begun.dispatch;
      return proceed(parts, call, await ledger.begin({ ...start, notHappened }));
    }
    case 'unknown':
      return settleUnknown(parts, call, {
        ...begun,
        reason: `The call was sent earlier and its answer was lost (${found.why})`,
      });
  }
}

/** Whether the process that sent the call is certainly dead, and its server with it. */
async function isOrphaned(
  { processes }: ActivityParts,
  { found }: StepCall,
  { dispatcher }: Open,
): Promise<boolean> {
  if (found.endsWithCaller !== true || dispatcher === null) return false;
  return processes.isGone(dispatcher);
}

async function startOf(
  { clock, policy, processes }: ActivityParts,
  call: StepCall,
): Promise<EffectStart> {
  const { request, input, found } = call;
  const bound = {
    callerId: request.callerId,
    step: input.step,
    server: found.server,
    tool: input.tool,
    argumentsDigest: call.digest(),
  };
  const { approvalId } = input;
  return {
    ...bound,
    id: effectIdOf(call),
    runId: request.runId,
    generation: request.generation ?? 0,
    attempt: input.attempt,
    approval:
      approvalId === undefined
        ? undefined
        : {
            ...bound,
            approvalId,
            policyVersion: policy.version,
            toolDigest: toolDigest(found),
          },
    dispatcher: await processes.own(),
    nowMs: clock.now(),
  };
}

async function proceed(parts: ActivityParts, call: StepCall, begun: Begun): Promise<CallOutcome> {
  switch (begun.kind) {
    case 'done':
      // The ledger keeps what `settleHappened` made of a `CallOutcome`.
      return begun.outcome as unknown as CallOutcome;
    case 'refused':
      return failed(parts, call, { error: reportError(begun.error), isRetryable: false });
    case 'open':
      return settleUnknown(parts, call, {
        ...begun,
        reason: 'Another process has just sent the call',
      });
    case 'dispatch':
      parts.faultPoint('effects.begin.after');
      return send(parts, call, begun);
  }
}

async function send(parts: ActivityParts, call: StepCall, sent: Sent): Promise<CallOutcome> {
  const { request, input, found } = call;
  const dispatchedAtMs = parts.clock.now();
  let result: ToolResult | undefined;
  let failure: CallFailure | undefined;
  try {
    result = await dispatch(parts.tools, call, sent.id);
    failure = failureOfResult({ name: input.tool, isTrusted: found.isTrusted }, result);
  } catch (error) {
    failure = failureOfThrown(error);
  }
  parts.faultPoint('effects.call.after');
  if (!failure && result) {
    return settleHappened(parts, call, { ...sent, given: givenBy(result) });
  }
  // An aborted tool fails, which says nothing about what it had done by then.
  request.signal.throwIfAborted();
  if (!failure?.isUncertain) return settleFailed(parts, call, { ...sent, failure });
  const outcome = await findOut(parts, call, { id: sent.id, dispatchedAtMs, isOrphaned: false });
  switch (outcome.kind) {
    case 'happened':
      return settleHappened(parts, call, { ...sent, given: outcome });
    case 'not-happened':
      return settleFailed(parts, call, { ...sent, failure });
    case 'unknown': {
      const reason = `${failure.error.message} (${outcome.why})`;
      return settleUnknown(parts, call, { ...sent, reason });
    }
  }
}

interface Dispatched {
  readonly id: string;
  readonly dispatch: number;
}

async function settleHappened(
  parts: ActivityParts,
  call: StepCall,
  sent: Dispatched & { readonly given: GivenResult },
): Promise<CallOutcome> {
  let outcome: CallOutcome;
  try {
    outcome = await succeeded(parts, call, sent.given);
  } catch (error) {
    // It has happened: as a failure it would be tried again.
    const reason = `The call returned, and its result could not be stored: ${reportError(error).message}`;
    return settleUnknown(parts, call, { ...sent, reason });
  }
  // An outcome is what the journal takes: JSON.
  const kept = outcome as unknown as Json;
  await note(parts, call, { ...placeOf(parts, call, sent), state: 'succeeded', outcome: kept });
  parts.faultPoint('effects.settle.after');
  return outcome;
}

async function settleFailed(
  parts: ActivityParts,
  call: StepCall,
  { failure, ...sent }: Dispatched & { readonly failure: CallFailure | undefined },
): Promise<CallOutcome> {
  await note(parts, call, { ...placeOf(parts, call, sent), state: 'failed' });
  return failed(parts, call, failure ?? failureOfThrown(undefined));
}

async function settleUnknown(
  parts: ActivityParts,
  call: StepCall,
  { reason, ...sent }: Dispatched & { readonly reason: string },
): Promise<CallOutcome> {
  await note(parts, call, { ...placeOf(parts, call, sent), state: 'unknown' });
  const { startedAt, input } = call;
  return {
    kind: 'unknown',
    effectId: sent.id,
    message: `It is not known whether step "${input.step}" (${input.tool}) happened. ${reason}`,
    startedAt,
    endedAt: parts.clock.now(),
  };
}

function placeOf(
  { clock }: ActivityParts,
  { request, input }: StepCall,
  { dispatch: last }: Dispatched,
): Omit<Settlement, 'state' | 'outcome'> {
  const { attempt } = input;
  return { dispatch: last, attempt, generation: request.generation ?? 0, nowMs: clock.now() };
}

/** An outcome that is not recorded leaves the row as dispatched, which is safe; the step still has its outcome. */
async function note(
  { ledger, log }: ActivityParts,
  { request, input }: StepCall,
  settlement: Settlement,
): Promise<void> {
  const { runId } = request;
  const { step } = input;
  try {
    await ledger.settle({ runId, step }, settlement);
  } catch (error) {
    const { code, message } = reportError(error);
    log.warn('failed to record effect outcome', { runId, step, code, message });
  }
}
