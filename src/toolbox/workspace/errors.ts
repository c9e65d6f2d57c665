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
