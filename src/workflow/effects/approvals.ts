import type { Caller } from '../../contract/caller/index.ts';
import { AppError, type Clock } from '../../kernel/index.ts';
import type { ApprovalVerdict } from '../engine/activity-data.ts';
import { ApprovalDeniedError } from '../interpret/errors.ts';
import { approvalSignal } from '../interpret/keys.ts';
import type { ApprovalRow, EffectStore, RowChange, StepRows } from './effect-ports.ts';
import {
  AmbiguousApprovalError,
  ApprovalDecidedError,
  ApprovalOverdueError,
  UnknownApprovalError,
  type RefusedCall,
  ApprovalRequiredError,
  ApprovalUsedError,
  ApprovalVoidError,
} from './errors.ts';

/** Which approval: its id, or the one that is open for a step of a run; `step` only where there are several. */
type ApprovalChoice =
  | { readonly approvalId: string }
  | { readonly runId: string; readonly step?: string };

/** Approvals as those who decide see them. */
export interface Approvals {
  /** Pending approvals of a run, oldest first. */
  open(caller: Caller, runId: string): Promise<readonly ApprovalRow[]>;
  /**
   * Writes the verdict and sends the signal `approval:ID` to the run, as one. The same verdict again
   * changes nothing. Throws `workflow.unknown_approval`, `workflow.approval_ambiguous`,
   * `workflow.approval_expired`, `workflow.approval_decided`.
   */
  decide(
    caller: Caller,
    choice: ApprovalChoice,
    verdict: Omit<ApprovalVerdict, 'by' | 'atMs'>,
  ): Promise<ApprovalRow>;
}

export function createApprovals(store: EffectStore, clock: Clock): Approvals {
  const open = async (caller: Caller, runId: string): Promise<readonly ApprovalRow[]> => {
    const all = await store.approvals(runId);
    const now = clock.now();
    return all.filter(
      (it) => it.callerId === caller.id && it.state === 'pending' && it.expiresAtMs > now,
    );
  };
  return {
    open,
    async decide(caller, choice, verdict) {
      const { runId, step, approvalId } =
        'approvalId' in choice
          ? await findById(store, caller, choice.approvalId)
          : chooseOpen(await open(caller, choice.runId), choice);
      const settling = { approvalId, by: caller.id, nowMs: clock.now(), ...verdict };
      const settled = await store.change(
        // The decision is acknowledged, so it has to survive a loss of power.
        { runId, step, durability: 'full' },
        (rows) => settle(rows, settling),
      );
      if (settled instanceof AppError) throw settled;
      return settled;
    },
  };
}

async function findById(store: EffectStore, caller: Caller, id: string): Promise<ApprovalRow> {
  const found = await store.approval(id);
  if (found?.callerId === caller.id) return found;
  throw new UnknownApprovalError(`there is no approval "${id}"`);
}

function chooseOpen(
  open: readonly ApprovalRow[],
  { runId, step }: { readonly runId: string; readonly step?: string },
): ApprovalRow {
  const fitting = step === undefined ? open : open.filter((it) => it.step === step);
  const [first, ...others] = fitting;
  if (!first) {
    const where = step === undefined ? `run ${runId}` : `step "${step}" of run ${runId}`;
    throw new UnknownApprovalError(`${where} does not ask for approval`);
  }
  // Of one step only the newest can be open for the call that is to be made.
  if (step !== undefined) return others.at(-1) ?? first;
  if (others.length === 0) return first;
  throw new AmbiguousApprovalError(runId, fitting.map((it) => it.step).toSorted());
}

function callOf({ step, tool, approvalId }: ApprovalRow): RefusedCall {
  return { step, tool, approvalId };
}

interface Settling extends ApprovalVerdict {
  readonly approvalId: string;
  readonly nowMs: number;
}

/** What is an error is thrown by who asked: nothing of it is written. */
function settle(
  { approvals }: StepRows,
  { approvalId, nowMs, ...verdict }: Settling,
): RowChange<ApprovalRow | AppError> {
  const found = approvals.find((it) => it.approvalId === approvalId);
  if (!found) return { result: new UnknownApprovalError(`there is no approval "${approvalId}"`) };
  if (found.state === verdict.verdict) return { signal: verdictSignal(found), result: found };
  if (found.state !== 'pending') {
    return { result: new ApprovalDecidedError(approvalId, found.state) };
  }
  if (nowMs >= found.expiresAtMs) {
    return { result: new ApprovalOverdueError(callOf(found), found.expiresAtMs) };
  }
  const approval: ApprovalRow = {
    ...found,
    state: verdict.verdict,
    decidedBy: verdict.by,
    decidedAtMs: nowMs,
    reason: verdict.reason ?? null,
    // A gate has no call that would use the approval up: passing the gate does.
    usedBy: found.tool === null ? `${found.runId}:${found.step}` : found.usedBy,
  };
  return { approval, signal: verdictSignal(approval), result: approval };
}

/** What tells the run of a verdict; told twice, the first counts. */
export function verdictSignal(approval: ApprovalRow): Signal {
  const { approvalId, state, decidedBy, decidedAtMs, reason } = approval;
  const payload = {
    verdict: state === 'approved' ? 'approved' : 'denied',
    by: decidedBy ?? '',
    ...(reason === null ? {} : { reason }),
    ...(decidedAtMs === null ? {} : { atMs: decidedAtMs }),
  } satisfies ApprovalVerdict;
  return { name: approvalSignal(approvalId), payload };
}

type Signal = NonNullable<RowChange<unknown>['signal']>;

/** A call that is about to be made on the strength of an approval. */
export interface ApprovalUse {
  readonly approvalId: string;
  readonly callerId: string;
  readonly step: string;
  readonly server: string;
  readonly tool: string;
  readonly argumentsDigest: string;
  readonly policyVersion: string;
  /** Of the tool as it is now. */
  readonly toolDigest: string | null;
  /** The effect it is used up for. Further attempts of the same effect need no other approval. */
  readonly effectId: string;
  readonly nowMs: number;
}

/** `approval` is the row as it is to be written, where it changes. */
type ApprovalVerdictOnUse =
  | { readonly kind: 'granted'; readonly approval: ApprovalRow }
  | { readonly kind: 'refused'; readonly error: AppError; readonly approval?: ApprovalRow };

/** `approvals` are those of the very step of the very run: no other ones can be used for it. */
export function useApproval(
  approvals: readonly ApprovalRow[],
  use: ApprovalUse,
): ApprovalVerdictOnUse {
  const { step, tool, approvalId } = use;
  const call = { step, tool, approvalId };
  const approval = approvals.find((it) => it.approvalId === approvalId);
  if (!approval || approval.callerId !== use.callerId) {
    const changed = approval ? ['caller'] : ['run or step'];
    return { kind: 'refused', error: new ApprovalVoidError(call, changed) };
  }
  const changed = changedBindings(approval, use);
  if (changed.length > 0) {
    const error = new ApprovalVoidError(call, changed);
    return { kind: 'refused', error, approval: { ...approval, state: 'void' } };
  }
  const error = refusalOf(approval, use, call);
  if (error) return { kind: 'refused', error };
  return { kind: 'granted', approval: { ...approval, usedBy: use.effectId } };
}

function changedBindings(approval: ApprovalRow, use: ApprovalUse): readonly string[] {
  const bindings = [
    ['server', approval.server, use.server],
    ['tool', approval.tool, use.tool],
    ['arguments', approval.argumentsDigest, use.argumentsDigest],
    ['policy', approval.policyVersion, use.policyVersion],
    // Approvals of earlier versions do not have it.
    ['definition of the tool', approval.toolDigest ?? use.toolDigest, use.toolDigest],
  ] as const;
  return bindings.filter(([, approved, used]) => approved !== used).map(([name]) => name);
}

function refusalOf(
  approval: ApprovalRow,
  { effectId, nowMs }: ApprovalUse,
  call: ConstructorParameters<typeof ApprovalUsedError>[0],
): AppError | undefined {
  if (approval.usedBy !== null && approval.usedBy !== effectId) return new ApprovalUsedError(call);
  switch (approval.state) {
    case 'void':
      return new ApprovalVoidError(call, []);
    case 'denied':
      return new ApprovalDeniedError(approval.step, {
        by: approval.decidedBy ?? 'unknown',
        reason: approval.reason ?? undefined,
      });
    case 'pending':
    case 'approved':
      break;
  }
  if (nowMs >= approval.expiresAtMs) return new ApprovalOverdueError(call, approval.expiresAtMs);
  return approval.state === 'pending' ? new ApprovalRequiredError(call) : undefined;
}
