import type { Tool } from '../../contract/tool/index.ts';

/** Which calls need approval beyond those for which the plan itself asks. */
export interface ApprovalPolicy {
  /** Approvals given under another version do not count. */
  readonly version: string;
  needsApproval(tool: Tool): boolean;
}

export type ApprovalMode = 'plan' | 'destructive' | 'effects';

/**
 * plan: only where the plan asks · destructive: also for tools that may destroy something, which is
 * every tool that does not deny it · effects: for every tool that is not read-only.
 */
export function approvalPolicy(mode: ApprovalMode): ApprovalPolicy {
  return { version: `1:${mode}`, needsApproval: (tool) => asks(mode, tool) };
}

/** What a plan says about repeating a call does not count: the one who wrote the plan may be a model. */
function asks(mode: ApprovalMode, { annotations }: Tool): boolean {
  if (mode === 'plan' || annotations?.readOnlyHint === true) return false;
  return mode === 'effects' || annotations?.destructiveHint !== false;
}
