import type { AppError } from '../../kernel/index.ts';
import { ApprovalDeniedError } from '../interpret/errors.ts';
import type { ApprovalRow } from './effect-store.ts';
import {
  ApprovalOverdueError,
  ApprovalRequiredError,
  ApprovalUsedError,
  ApprovalVoidError,
} from './errors.ts';

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
export type ApprovalVerdictOnUse =
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
        by: approval.decidedBy ?? 'somebody',
        reason: approval.reason ?? undefined,
      });
    case 'pending':
    case 'approved':
      break;
  }
  if (nowMs >= approval.expiresAtMs) return new ApprovalOverdueError(call, approval.expiresAtMs);
  return approval.state === 'pending' ? new ApprovalRequiredError(call) : undefined;
}
