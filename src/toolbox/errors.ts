import { AppError } from '../kernel/index.ts';

/** The arguments of a call do not fit the tool's input schema. */
export class InvalidArgumentsError extends AppError {
  readonly code = 'toolbox.invalid_arguments';

  constructor(tool: string, problems: readonly string[]) {
    super(`Tool "${tool}" was not called: ${problems.join('; ')}`, { details: { tool, problems } });
  }
}

/** A tool produced what its own output schema does not allow: a bug in the tool. */
export class InvalidOutputError extends AppError {
  readonly code = 'toolbox.invalid_output';

  constructor(tool: string, problems: readonly string[]) {
    super(`Tool "${tool}" returned what its output schema does not allow: ${problems.join('; ')}`, {
      details: { tool, problems },
    });
  }
}

/** The server has no tool, resource or prompt of that name. */
export class NotFoundError extends AppError {
  readonly code = 'toolbox.not_found';

  constructor(kind: 'tool' | 'resource' | 'prompt', name: string, known: readonly string[]) {
    const list = known.length > 0 ? ` It has: ${known.join(', ')}` : '';
    super(`There is no ${kind} "${name}" here.${list}`, { details: { kind, name } });
  }
}

/** The thread a tool ran in ended before the tool did: out of memory, a crash of an engine, or the server's end. */
export class WorkerDiedError extends AppError {
  readonly code = 'toolbox.worker_died';

  constructor(tool: string, death: WorkerDeath) {
    super(`Tool "${tool}" did not finish: ${death.reason}. ${death.advice}`, {
      details: { tool, reason: death.reason },
    });
  }
}

export interface WorkerDeath {
  readonly reason: string;
  /** What the caller can do about it. */
  readonly advice: string;
}

/** An agent ended without doing its task. */
export class TaskNotDoneError extends AppError {
  readonly code = 'agents.not_done';

  constructor(
    agent: string,
    about: { readonly verdict: string; readonly summary: string; readonly runId: string | null },
  ) {
    super(`The agent ${agent} did not do the task (${about.verdict}): ${about.summary}`, {
      details: { agent, ...about },
    });
  }
}

/** Files are no longer what a change is based on. */
export class ChangedOnDiskError extends AppError {
  readonly code = 'workspace.changed_on_disk';

  constructor(paths: readonly string[], since: string) {
    const names = paths.map((path) => `"${path}"`).join(', ');
    super(`${names} changed on disk ${since}. Nothing was changed`, { details: { paths } });
  }
}

/** What was approved is no longer what would be done, for another reason than the content of a file. */
export class ApprovalOutdatedError extends AppError {
  readonly code = 'workspace.changed_on_disk';

  constructor(reason: string) {
    super(`${reason} since the change was shown. Nothing was changed`);
  }
}
