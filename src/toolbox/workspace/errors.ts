import { AppError } from '../../kernel/index.ts';

/** A path that the workspace does not touch: outside the roots, a link, Git's or Tutti's own. */
export class PathRefusedError extends AppError {
  readonly code = 'workspace.path_refused';

  constructor(path: string, reason: string) {
    super(`"${path}" was refused: ${reason}`, { details: { path, reason } });
  }
}

/** There is no such file or folder. */
export class NoSuchFileError extends AppError {
  readonly code = 'workspace.no_such_file';

  constructor(path: string) {
    super(`There is no file or folder "${path}" in the project`, { details: { path } });
  }
}

/** A name that means no commit of the repository. */
export class NoSuchCommitError extends AppError {
  readonly code = 'workspace.no_such_commit';

  constructor(commit: string) {
    super(
      `"${commit}" is no commit, tag or branch of this repository, and no time such as "yesterday", "3 days ago" or "2026-01-31"`,
      { details: { commit } },
    );
  }
}

/** There is nothing to replace. */
export class TextNotFoundError extends AppError {
  readonly code = 'workspace.text_not_found';

  constructor(text: string, path = 'the project') {
    super(`"${text}" is nowhere in ${path}, so nothing was replaced`, { details: { text, path } });
  }
}

/** A file is no text this server can read and write. */
export class NotTextError extends AppError {
  readonly code = 'workspace.not_text';

  constructor(path: string, reason: string) {
    super(`"${path}" was refused: ${reason}`, { details: { path, reason } });
  }
}

/** A file or a set of changes is larger than one call may handle. */
export class TooLargeError extends AppError {
  readonly code = 'workspace.too_large';

  constructor(what: string, limit: string) {
    super(`${what} is too large: the limit is ${limit}. Nothing was changed`, {
      details: { what, limit },
    });
  }
}

/** The search pattern is not valid or takes too long. */
export class InvalidPatternError extends AppError {
  readonly code = 'workspace.invalid_pattern';

  constructor(pattern: string, reason: string) {
    super(`The pattern "${pattern}" was not used: ${reason}`, { details: { pattern } });
  }
}

/** Git is missing, the folder is no repository, or Git reported a failure. */
export class GitFailedError extends AppError {
  readonly code = 'workspace.git_failed';

  constructor(command: string, reason: string) {
    super(`git ${command} failed: ${reason}`, { details: { command, reason } });
  }
}

/** The arguments of a change contradict each other. */
export class InvalidChangeError extends AppError {
  readonly code = 'workspace.invalid_change';

  constructor(problem: string) {
    super(`${problem}. Nothing was changed`);
  }
}

/** A diff does not fit the file it is for. */
export class DiffRefusedError extends AppError {
  readonly code = 'workspace.diff_refused';

  constructor(path: string, reason: string) {
    super(`The diff for "${path}" was not applied: ${reason}. Nothing was changed`, {
      details: { path, reason },
    });
  }
}

/** There is no such change, or nothing left to undo. */
export class NoSuchChangeError extends AppError {
  readonly code = 'workspace.no_such_change';
}

/** Another process changes files at the moment. */
export class WorkspaceBusyError extends AppError {
  readonly code = 'workspace.busy';
  override readonly retryable = true;

  constructor(waitedMs: number) {
    super(`Another process was changing files for more than ${waitedMs} ms. Nothing was changed`);
  }
}

/** A file could not be written; what was changed before it was put back. */
export class WriteFailedError extends AppError {
  readonly code = 'workspace.write_failed';

  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`"${path}" could not be written (${reason}). Nothing was changed`, {
      details: { path },
      cause,
    });
  }
}
