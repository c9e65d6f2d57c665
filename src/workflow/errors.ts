import { existsSync } from 'node:fs';
import type { PlanProblem } from '../contract/plan/index.ts';
import type { RunStatus } from '../contract/run/index.ts';
import { AppError, nearest, shellWord } from '../kernel/index.ts';

const maxSignals = 20;

/** A plan with mistakes; `details.errors` holds them all. Nothing of it has run. */
export class InvalidPlanError extends AppError {
  readonly code = 'plan.invalid';

  constructor(problems: readonly PlanProblem[]) {
    const [first] = problems;
    const rest = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
    super(
      `The plan cannot run: ${first === undefined ? 'it is not well-formed' : locate(first)}${rest}`,
      {
        details: { errors: problems },
      },
    );
  }
}

function locate({ step, path, line, message }: PlanProblem): string {
  const place = step === null ? path : `step "${step}"`;
  const where = [place, line === null ? '' : `line ${line}`]
    .filter((part) => part !== '')
    .join(', ');
  return where === '' ? message : `${where}: ${message}`;
}

/** The values a run was to be given do not fit what its plan asks for. */
export class InvalidInputError extends AppError {
  readonly code = 'workflow.invalid_input';

  constructor(problems: readonly string[]) {
    super(
      `The run was not started, because its input does not fit the plan: ${problems.join('; ')}`,
      {
        details: { problems },
      },
    );
  }
}

/** Runs of other callers are unknown, too. */
export class UnknownRunError extends AppError {
  readonly code = 'workflow.unknown_run';

  constructor(runId: string) {
    super(`There is no run "${runId}". "tutti runs" lists those there are`, { details: { runId } });
  }
}

export class AmbiguousRunError extends AppError {
  readonly code = 'workflow.ambiguous_run';

  constructor(prefix: string, runIds: readonly string[]) {
    super(`Several runs begin with "${prefix}": ${runIds.join(', ')}. Give more of the id`, {
      details: { prefix, runIds },
    });
  }
}

/** What was asked of a run needs one that is under way. */
export class RunIsOverError extends AppError {
  readonly code = 'workflow.run_is_over';

  constructor(run: { readonly runId: string; readonly status: RunStatus }, wanted: string) {
    super(`Run ${run.runId} is over (${run.status}): it cannot be ${wanted}`, {
      details: { runId: run.runId, status: run.status },
      hint:
        run.status === 'succeeded'
          ? `\`tutti runs fork ${run.runId}\` starts a new run from it.`
          : `\`tutti runs retry ${run.runId}\` tries again what did not succeed.`,
    });
  }
}

/** What was asked of a run needs one that is over. */
export class RunIsNotOverError extends AppError {
  readonly code = 'workflow.run_is_not_over';

  constructor(run: { readonly runId: string; readonly status: RunStatus }, wanted: string) {
    super(
      `Run ${run.runId} is not over (${run.status}): it cannot be ${wanted}. Cancel it first, or wait for its end`,
      { details: { runId: run.runId, status: run.status } },
    );
  }
}

/** Nothing in the run waits for what was given. */
export class NotWaitingError extends AppError {
  readonly code = 'workflow.not_waiting_for_that';

  constructor(runId: string, message: string) {
    super(`Run ${runId} ${message}`, { details: { runId } });
  }
}

/** A signal was sent that no step of the plan ever waits for. */
export class UnknownSignalError extends AppError {
  readonly code = 'workflow.unknown_signal';

  constructor(runId: string, name: string, known: readonly string[]) {
    const meant = nearest(name, known);
    const proposal = meant === undefined ? '' : ` Did you mean "${meant}"?`;
    const listed = [...new Set(known)].slice(0, maxSignals).join(', ');
    super(`Nothing was sent: no step of run ${runId} waits for a signal "${name}".${proposal}`, {
      details: { runId, name, known },
      hint:
        known.length === 0 ? 'Its plan has no step with `wait`.' : `Its steps wait for: ${listed}.`,
    });
  }
}

export class UnknownStepError extends AppError {
  readonly code = 'workflow.unknown_step';

  constructor(where: { readonly runId: string; readonly step: string }, hint?: string) {
    const meant = hint === undefined ? '' : ` Did you mean "${hint}"?`;
    super(`Run ${where.runId} has no step "${where.step}".${meant}`, { details: { ...where } });
  }
}

/** What was asked of a run would execute it in another folder, where paths and servers mean something else. */
export class RunElsewhereError extends AppError {
  readonly code = 'workflow.run_elsewhere';

  constructor(
    run: { readonly runId: string; readonly folder: string },
    tried: { readonly here: string; readonly wanted: string; readonly command: string },
  ) {
    const { runId, folder } = run;
    const { here, wanted, command } = tried;
    const remedy = existsSync(folder)
      ? `and this process works in ${here}. In its own folder: cd ${shellWord(folder)} && tutti runs ${command} ${runId}`
      : 'which is not there any more. Bring the folder back, or start anew where its files are';
    super(`Run ${runId} was not ${wanted}: it belongs to ${folder}, ${remedy}`, {
      details: { runId, folder, here },
    });
  }
}

/** Another process took the run in the moment it was to be changed. */
export class RunIsTakenError extends AppError {
  readonly code = 'workflow.run_is_taken';
  override readonly retryable = true;

  constructor(runId: string) {
    super(`Run ${runId} was not changed, because a process executes it just now. Try again`, {
      details: { runId },
    });
  }
}

/** Plans that run plans that run plans …: somewhere it has to end. */
export class NestedTooDeepError extends AppError {
  readonly code = 'workflow.nested_too_deep';

  constructor(limit: number) {
    super(
      `The run was not started: runs started by steps of runs may be ${limit} deep. Write it as a sub-plan ("plan: …")`,
      { details: { limit } },
    );
  }
}

/** Answers to what a run asked are no signals of a plan: they are sent by the methods that check the right to answer. */
export class ReservedSignalError extends AppError {
  readonly code = 'workflow.reserved_signal';

  constructor(name: string) {
    super(
      `Signal "${name}" was not sent: names that begin with approval:, resolve: or repair: answer what a run asks. ` +
        'Use "tutti runs approve", "deny", "resolve" or "repair" for that',
      { details: { name } },
    );
  }
}

/** The run was cancelled: the reason its activities are aborted with. */
export class RunCancelledError extends AppError {
  readonly code = 'workflow.cancelled';

  constructor(runId: string, reason: string | null) {
    super(`Run ${runId} was cancelled${reason === null ? '' : `: ${reason}`}`, {
      details: { runId, reason },
    });
  }
}

/** This process has no more to do with the run, which goes on elsewhere or later. */
export class RunLetGoError extends AppError {
  readonly code = 'workflow.run_let_go';

  constructor(runId: string) {
    super(
      `Run ${runId} was let go by the process that executed it, and goes on from what was recorded. ` +
        'Wait for it, or look at it with "tutti runs show"',
      { details: { runId } },
    );
  }
}

/** The run took longer than its plan gives it. */
export class RunTimedOutError extends AppError {
  readonly code = 'workflow.run_timed_out';

  constructor(runId: string) {
    super(
      `Run ${runId} was stopped, because its time was up. Give the plan a longer timeoutMs, or retry the run`,
      { details: { runId } },
    );
  }
}
