import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../contract/plan/index.ts';
import { digestJson, reportError, cutMiddle } from '../../kernel/index.ts';
import type { ApproveInput, ApproveOutcome } from '../engine/activity-data.ts';
import type { ActivityRequest } from '../engine/run-scope.ts';
import { verdictSignal } from './approvals.ts';
import { type ApprovalRow, type RowChange, type StepRows, toolDigest } from './effect-ports.ts';
import { ToolGoneError } from './errors.ts';
import { type ActivityParts, untilRecorded } from './step-call.ts';

const idBytes = 8;

/**
 * Writes down that approval is asked for, bound to all that the call will be. Asked again for the very
 * same, as after a crash, it is the one that stands there already, as long as it can still be used.
 */
export async function askApproval(
  parts: ActivityParts,
  request: ActivityRequest,
): Promise<ApproveOutcome> {
  const { effects, faultPoint, clock } = parts;
  // Made by the interpreter for this activity.
  const input = request.input as unknown as ApproveInput;
  const startedAt = clock.now();
  try {
    request.signal.throwIfAborted();
    await untilRecorded(request);
    const wanted = await newApproval(parts, request, input);
    faultPoint('effects.ask.before');
    const { runId, step } = wanted;
    const approval = await effects.change({ runId, step, durability: 'full' }, (rows) =>
      askOnce(rows, wanted),
    );
    faultPoint('effects.ask.after');
    const { approvalId, expiresAtMs } = approval;
    const expiresInMs = Math.max(0, expiresAtMs - clock.now());
    return { kind: 'asked', approvalId, expiresInMs, startedAt };
  } catch (error) {
    request.signal.throwIfAborted();
    return { kind: 'failed', error: reportError(error) };
  }
}

async function newApproval(
  { tools, values, clock, limits, policy, preview }: ActivityParts,
  { runId, callerId, signal }: ActivityRequest,
  { step, tool, args, message, expiresMs }: ApproveInput,
): Promise<ApprovalRow> {
  const found = tool === null ? null : await tools.find(tool);
  if (tool !== null && !found) throw new ToolGoneError(step, tool);
  const filled = await values.fill(args, { caller: { id: callerId }, step });
  const question =
    message && questionText(await values.fill(message, { caller: { id: callerId }, step }));
  const call = found && { server: found.server, tool: found.tool.name, args: filled };
  const shownBefore = call && (await preview?.(call, signal));
  const askedAtMs = clock.now();
  return {
    approvalId: randomBytes(idBytes).toString('hex'),
    callerId,
    runId,
    step,
    server: found?.server ?? null,
    tool,
    argumentsDigest: digestJson(filled),
    arguments: shown(filled, limits.shownArgumentBytes),
    policyVersion: policy.version,
    toolDigest: found ? toolDigest(found) : null,
    message: question ?? defaultMessage(step, tool),
    preview: shownBefore ?? null,
    askedAtMs,
    expiresAtMs: askedAtMs + (expiresMs ?? limits.approvalMs),
    state: 'pending',
    decidedBy: null,
    decidedAtMs: null,
    reason: null,
    usedBy: null,
    // Words of the plan's own are a question to a person, whatever the call does.
    ...(shownBefore?.changesNothing === true && message === undefined
      ? approvedUnasked(askedAtMs)
      : {}),
  };
}

/** A call that changes nothing needs no person; its basis is refused by the tool when that is no longer so. */
function approvedUnasked(decidedAtMs: number): Partial<ApprovalRow> {
  return { state: 'approved', decidedBy: 'tutti', decidedAtMs, reason: 'it changes nothing' };
}

function askOnce({ approvals }: StepRows, wanted: ApprovalRow): RowChange<ApprovalRow> {
  const same = approvals.findLast((it) => isUsable(it, wanted));
  if (!same) {
    const signal = wanted.state === 'approved' ? { signal: verdictSignal(wanted) } : {};
    return { approval: wanted, ...signal, result: wanted };
  }
  // Its signal may have been dropped when the step was forgotten: then the run would wait for it for ever.
  return { ...(same.state === 'approved' ? { signal: verdictSignal(same) } : {}), result: same };
}

function isUsable(approval: ApprovalRow, wanted: ApprovalRow): boolean {
  const isOpen = approval.state === 'pending' || approval.state === 'approved';
  return (
    isOpen &&
    approval.usedBy === null &&
    approval.expiresAtMs > wanted.askedAtMs &&
    isDeepStrictEqual(approval.preview?.basis, wanted.preview?.basis) &&
    boundMembers.every((member) => approval[member] === wanted[member])
  );
}

const boundMembers = [
  'callerId',
  'server',
  'tool',
  'argumentsDigest',
  'policyVersion',
  'toolDigest',
] as const;

function defaultMessage(step: string, tool: string | null): string {
  return tool === null
    ? `Step "${step}" waits for approval`
    : `Step "${step}" wants to call ${tool}`;
}

function shown(args: Json, maxBytes: number): Json {
  const text = JSON.stringify(args);
  return text.length <= maxBytes ? args : `${text.slice(0, maxBytes)}…`;
}

/** A person reads no more before deciding; an earlier step may have given any amount. */
const maxLength = 2_000;

/** What a person is asked, with what steps gave put in. */
export function questionText(message: Json): string {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  return cutMiddle(text, maxLength);
}
