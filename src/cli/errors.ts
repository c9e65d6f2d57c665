import { AppError, nearest, lookupTable } from '../kernel/index.ts';
import hints from './name-hints.json' with { type: 'json' };

/** The command line was not understood. */
export class UsageError extends AppError {
  readonly code = 'cli.usage';
}

/** `--server` with a command that changes or shows this machine. */
export class NotRemoteCommandError extends AppError {
  readonly code = 'client.not_remote';

  constructor() {
    super('This command works only on the machine itself: leave out --server');
  }
}

/** An approval of a call that was not shown completely. */
export class ApprovalUnseenError extends AppError {
  readonly code = 'cli.approval_unseen';

  constructor(runId: string, step: string) {
    super(
      `Step "${step}" was not approved: its arguments are longer than what was shown. "tutti runs show ${runId} ${step}" shows all of them, and the command that approves them`,
      { details: { runId, step } },
    );
  }
}

/** A file or standard input that the command line names could not be read. */
export class UnreadableInputError extends AppError {
  readonly code = 'cli.unreadable_input';

  constructor(name: string, reason: string, options: { readonly cause?: unknown } = {}) {
    const what = name === '-' ? 'Standard input' : `"${name}"`;
    super(`${what} was not read: ${reason}`, { ...options, details: { name } });
  }
}

/** What lists the names of a kind; where nothing does, there are few of them and the hint lists them all. */
const { listedBy } = hints;
/** What other programs call the actions of ours. */
const synonyms = lookupTable<string>(hints.synonyms);

const maxListed = 20;

/** A command was given the name of something that is not there. */
export class UnknownNameError extends AppError {
  readonly code = 'cli.unknown_name';

  constructor(kind: keyof typeof listedBy, name: string, known: readonly string[]) {
    const synonym = kind === 'action' ? synonyms[name] : undefined;
    const suggestion =
      nearest(name, known) ?? known.find((one) => synonym?.split(' ').includes(one));
    const proposal = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
    super(`There is no ${kind} "${name}".${proposal}`, {
      details: { kind, name, ...(suggestion !== undefined && { suggestion }) },
      hint: listedBy[kind] ?? choices(known),
    });
  }
}

function choices(known: readonly string[]): string {
  if (known.length === 0) return '';
  const more = known.length > maxListed ? ', …' : '';
  return `Choose one of: ${known.slice(0, maxListed).join(', ')}${more}.`;
}

/** A tool was called whose server could not be asked for its tools. */
export class ServerNotListedError extends AppError {
  readonly code = 'cli.server_not_listed';

  constructor(tool: string, { server, message }: { server: string; message: string }) {
    super(`"${tool}" was not called: the tools of server "${server}" are unknown. ${message}`, {
      details: { tool, server },
      hint: `\`tutti servers logs ${server}\` shows what it wrote.`,
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
