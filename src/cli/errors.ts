import { AppError, nearest } from '../kernel/index.ts';

/** The command line was not understood. */
export class UsageError extends AppError {
  readonly code = 'cli.usage';
}

/** A command was given the name of something that is not there. */
export class UnknownNameError extends AppError {
  readonly code = 'cli.unknown_name';

  constructor(
    kind:
      | 'tool'
      | 'prompt'
      | 'trace'
      | 'server'
      | 'client'
      | 'action'
      | 'format'
      | 'engine'
      | 'status'
      | 'step'
      | 'command'
      | 'preference',
    name: string,
    known: readonly string[],
  ) {
    const suggestion = nearest(name, known);
    const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
    super(`There is no ${kind} "${name}".${hint}`, {
      details: { kind, name, ...(suggestion !== undefined && { suggestion }) },
    });
  }
}

/** A tool failed and gave no code of ours: what it said is all there is. */
export class ToolFailedError extends AppError {
  readonly code = 'cli.tool_failed';

  constructor(tool: string, said: string) {
    super(`Tool "${tool}" failed: ${said === '' ? 'it did not say why' : said}`, {
      details: { tool },
    });
  }
}

/** A question has to be answered, and there is no terminal to ask at. */
export class NeedsAnswerError extends AppError {
  readonly code = 'cli.needs_answer';

  constructor(what: string, flag: string) {
    super(
      `${what} needs your answer, and there is no terminal to ask at. Look at it, then say ${flag}`,
    );
  }
}

/** A file was to be given along with a message, and cannot be. */
export class AttachmentError extends AppError {
  readonly code = 'cli.attachment_unusable';

  constructor(path: string, reason: string, options: { readonly cause?: unknown } = {}) {
    super(`"${path}" was not attached: ${reason}`, { ...options, details: { path } });
  }
}

/** A file was to be given along with a message, and lies where nothing may be read. */
export class OutsideRootsError extends AppError {
  readonly code = 'cli.outside_roots';

  constructor(path: string, roots: readonly string[]) {
    super(`"${path}" was not attached: it is outside the folders that may be read`, {
      details: { path, roots },
    });
  }
}
