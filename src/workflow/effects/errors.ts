import { AppError } from '../../kernel/index.ts';

/** A tool said that it failed, without a code. */
export class ToolFailedError extends AppError {
  readonly code = 'workflow.tool_failed';

  constructor(tool: string, said: string) {
    super(said === '' ? `Tool "${tool}" failed and did not say why` : said, { details: { tool } });
  }
}

/** The tool was there when the plan was checked, or the plan was not checked. */
export class ToolGoneError extends AppError {
  readonly code = 'workflow.unknown_tool';

  constructor(step: string, tool: string) {
    super(
      `Step "${step}" was not done: there is no tool "${tool}". "tutti tools" lists those there are, "tutti servers" says which servers failed`,
      { details: { step, tool } },
    );
  }
}

/** The call is not over: the server wants something of its caller first. */
export class DeferredResultError extends AppError {
  readonly code = 'workflow.deferred_result';

  constructor(tool: string, resultType: string) {
    const wants =
      resultType === 'input_required'
        ? 'an answer of a person'
        : `to go on later ("${resultType}")`;
    super(
      `Tool "${tool}" wants ${wants}, which a step of a plan cannot give. Call it by "tutti call", or give it all it needs as arguments`,
      { details: { tool, resultType } },
    );
  }
}

export type OversizePart = 'arguments' | 'result' | 'value';

interface Oversize {
  readonly step: string;
  readonly part: OversizePart;
  readonly bytes: number;
  readonly maxBytes: number;
}

/** What a step was to be given, or gave, is larger than is taken. */
export class TooLargeError extends AppError {
  readonly code = 'workflow.value_too_large';

  constructor({ step, part, bytes, maxBytes }: Oversize) {
    super(
      `The ${part} of step "${step}" ${part === 'arguments' ? 'have' : 'has'} ${bytes} bytes as JSON, and at most ${maxBytes} are taken. Work on less at once`,
      { details: { step, part, bytes, maxBytes } },
    );
  }
}

/** It could be neither written down nor read again. */
export class TooDeepError extends AppError {
  readonly code = 'workflow.value_too_deep';

  constructor(step: string, part: OversizePart) {
    super(`The ${part} of step "${step}" cannot be kept: it is nested too deeply`, {
      details: { step, part },
    });
  }
}

export interface RefusedCall {
  readonly step: string;
  readonly tool: string | null;
  readonly approvalId: string | null;
}

function nameOf({ step, tool }: RefusedCall): string {
  return tool === null ? `Step "${step}"` : `Step "${step}" (${tool})`;
}

/** A person has to approve first. */
export class ApprovalRequiredError extends AppError {
  readonly code = 'workflow.approval_required';

  constructor(call: RefusedCall) {
    const why =
      call.approvalId === null
        ? 'the settings ask for approval of what it does, and the plan does not: give the step "approval: true"'
        : `approval ${call.approvalId} is not decided yet`;
    super(`${nameOf(call)} was not done: ${why}`, { details: { ...call } });
  }
}

/** It was asked for, or given, too long ago. */
export class ApprovalOverdueError extends AppError {
  readonly code = 'workflow.approval_expired';

  constructor(call: RefusedCall, expiredAtMs: number) {
    const expiredAt = new Date(expiredAtMs).toISOString();
    super(
      `${nameOf(call)} was not done: its approval counted until ${expiredAt}. Retry the step to be asked again`,
      { details: { ...call, expiredAt } },
    );
  }
}

/** An approval is for one effect. */
export class ApprovalUsedError extends AppError {
  readonly code = 'workflow.approval_used';

  constructor(call: RefusedCall) {
    super(
      `${nameOf(call)} was not done: approval ${call.approvalId ?? ''} has been used already, and each is for one call. Retry the step to be asked again`,
      { details: { ...call } },
    );
  }
}

/** What was approved is not what was to be done. */
export class ApprovalVoidError extends AppError {
  readonly code = 'workflow.approval_void';

  constructor(call: RefusedCall, changed: readonly string[]) {
    const what = changed.length === 0 ? 'it was void already' : `changed: ${changed.join(', ')}`;
    super(
      `${nameOf(call)} was not done: it is not what was approved (${what}). Retry the step to be asked again`,
      { details: { ...call, changed } },
    );
  }
}

/** Approvals of other callers are unknown, too. */
export class UnknownApprovalError extends AppError {
  readonly code = 'workflow.unknown_approval';

  constructor(which: string) {
    super(`Nothing was decided: ${which}. "tutti runs show RUN" says what a run waits for`);
  }
}

export class AmbiguousApprovalError extends AppError {
  readonly code = 'workflow.approval_ambiguous';

  constructor(runId: string, steps: readonly string[]) {
    super(
      `Nothing was decided: ${steps.length} steps of run ${runId} ask for approval. Name one of ${steps.join(', ')}`,
      { details: { runId, steps } },
    );
  }
}

/** A verdict stands once it is given. */
export class ApprovalDecidedError extends AppError {
  readonly code = 'workflow.approval_decided';

  constructor(approvalId: string, state: string) {
    super(`Nothing was changed: approval ${approvalId} is ${state} already, and that stands`, {
      details: { approvalId, state },
    });
  }
}
