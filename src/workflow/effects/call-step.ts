import type { Json } from '../../contract/plan/index.ts';
import { approvedBasisMetaKey, type ToolResult } from '../../contract/tool/index.ts';
import { reportError } from '../../kernel/index.ts';
import type { CallInput, CallOutcome } from '../engine/activity-data.ts';
import type { ActivityRequest } from '../engine/run-scope.ts';
import {
  type ActivityParts,
  failed,
  lineageOf,
  succeeded,
  digestOnce,
  dispatch,
  effectIdOf,
  type StepCall,
  untilRecorded,
} from './step-call.ts';
import { failureOfResult, failureOfThrown, givenBy } from './call-result.ts';
import { callOnce } from './call-once.ts';
import { ApprovalRequiredError, ToolGoneError } from './errors.ts';
import { repeatabilityOf, toolDigest, type FoundTool } from './effect-ports.ts';

/**
 * One attempt of a step that calls a tool. What goes wrong is an outcome; only a cancellation is thrown, as
 * the signal's reason, and never recorded.
 */
export async function callStep(
  parts: ActivityParts,
  request: ActivityRequest,
  meta: Readonly<Record<string, unknown>>,
): Promise<CallOutcome> {
  // Made by the interpreter for this activity.
  const input = request.input as unknown as CallInput;
  const startedAt = parts.clock.now();
  try {
    request.signal.throwIfAborted();
    const found = permitted(parts, input, await parts.tools.find(input.tool));
    const caller = { id: request.callerId };
    const args = await parts.values.fill(input.args, { caller, step: input.step });
    const digest = digestOnce(args);
    const approved =
      input.approvalId === undefined ? {} : await approvedMeta(parts, input.approvalId);
    const carried = { ...meta, ...approved };
    const call: StepCall = {
      request,
      input,
      startedAt,
      meta: carried,
      caller,
      found,
      args,
      digest,
    };
    const repeatability = repeatabilityOf(found.tool, input.effect);
    const isReading = repeatability === 'read' && found.tool.annotations?.readOnlyHint === true;
    // What only the plan takes for reading may leave something behind.
    if (!isReading || input.approvalId !== undefined) await untilRecorded(request);
    if (repeatability === 'once') return await callOnce(parts, { ...call, isOnce: true });
    if (input.approvalId !== undefined) {
      const refusal = await useApproval(parts, call, input.approvalId);
      if (refusal) return refusal;
    }
    if (repeatability === 'read' && input.cache) {
      return await callCached(parts, call, input.cache.ttlMs);
    }
    return await outcomeOf(parts, call, await dispatch(parts.tools, call, effectIdOf(call)));
  } catch (error) {
    request.signal.throwIfAborted();
    return failed(parts, { startedAt }, failureOfThrown(error));
  }
}

/** Throws what keeps the call from being made. */
function permitted(
  { policy }: ActivityParts,
  { step, tool, approvalId }: CallInput,
  found: FoundTool | undefined,
): FoundTool {
  if (!found) throw new ToolGoneError(step, tool);
  if (approvalId === undefined && policy.needsApproval(found.tool)) {
    throw new ApprovalRequiredError({ step, tool, approvalId: null });
  }
  return found;
}

/** What the person who approved the call was shown: the tool refuses when that is no longer so. */
async function approvedMeta(
  { effects }: ActivityParts,
  approvalId: string,
): Promise<Readonly<Record<string, unknown>>> {
  const approval = await effects.approval(approvalId);
  return approval?.preview ? { [approvedBasisMetaKey]: approval.preview.basis } : {};
}

/** Repeatable calls have no row in the ledger; what the plan wants approved is approved all the same. */
async function useApproval(
  parts: ActivityParts,
  call: StepCall,
  approvalId: string,
): Promise<CallOutcome | undefined> {
  const { request, input, found } = call;
  const { step, tool } = input;
  const { runId, callerId } = request;
  const error = await parts.ledger.approve(
    { runId, step },
    {
      approvalId,
      callerId,
      step,
      server: found.server,
      tool,
      argumentsDigest: call.digest(),
      policyVersion: parts.policy.version,
      toolDigest: toolDigest(found),
      effectId: effectIdOf(call),
      nowMs: parts.clock.now(),
    },
  );
  return error && failed(parts, call, { error: reportError(error), isRetryable: false });
}

async function outcomeOf(
  parts: ActivityParts,
  call: StepCall,
  result: ToolResult,
): Promise<CallOutcome> {
  const { input, request } = call;
  parts.faultPoint('effects.call.after');
  const { isTrusted } = call.found;
  const failure = failureOfResult({ name: input.tool, isTrusted }, result);
  if (!failure) return succeeded(parts, call, givenBy(result));
  // An aborted tool fails: that is no failure of the step.
  request.signal.throwIfAborted();
  const isRetryable = failure.isRetryable || failure.isToolsWord === true;
  return failed(parts, call, { ...failure, isRetryable });
}

async function callCached(
  parts: ActivityParts,
  call: StepCall,
  ttlMs: number | null,
): Promise<CallOutcome> {
  const { cache, clock, values } = parts;
  const { caller, input } = call;
  const key = { callerId: caller.id, tool: input.tool, argumentsDigest: call.digest() };
  const now = clock.now();
  const cached = await attempt(parts, () => cache.find(key));
  if (cached && (ttlMs === null || now - cached.storedAtMs < ttlMs)) {
    const user = { caller, step: input.step };
    const held = await values.adopt(cached.held, user, () => lineageOf(call));
    const { startedAt } = call;
    if (held) {
      return { kind: 'succeeded', held, isCached: true, startedAt, endedAt: clock.now() };
    }
  }
  const result = await dispatch(parts.tools, call, effectIdOf(call));
  const outcome = await outcomeOf(parts, call, result);
  if (outcome.kind === 'succeeded') {
    await attempt(parts, () => cache.put(key, { held: outcome.held, storedAtMs: now }));
  }
  return outcome;
}

/** Without the cache the call is made: slower, and right. */
async function attempt<Result>(
  { log }: ActivityParts,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    log.warn('step cache failed', { message: reportError(error).message });
    return undefined;
  }
}

/** An outcome is data: what the journal takes. */
export function asJson(outcome: Promise<object>): Promise<Json> {
  return outcome as Promise<Json>;
}
