import { AppError, nearest } from '../kernel/index.ts';
import { problemText, type SettingProblem } from './settings.ts';

const maxProblemsShown = 20;

/** The settings do not fit the schema. Lists what is wrong in all sources, so that one look cures it. */
export class ConfigError extends AppError {
  readonly code = 'config.invalid';
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    const shown = problems.slice(0, maxProblemsShown).map((problem) => `  ${problemText(problem)}`);
    const rest = problems.length - shown.length;
    if (rest > 0) shown.push(`  and ${rest} more`);
    super(`The settings were not loaded:\n${shown.join('\n')}`, {
      details: { problems: problems.slice(0, maxProblemsShown).map(flattenProblem) },
    });
    this.problems = problems;
  }
}

function flattenProblem({ source, ...problem }: SettingProblem): Record<string, unknown> {
  return { ...source, ...problem };
}

/** An entry of `mcpServers` refers to a variable or file that is not there. Shows no value. */
export class UnresolvedReferenceError extends AppError {
  readonly code = 'config.unresolved_reference';

  constructor(where: { name: string; key: string; reference: string; reason: string }) {
    const { name, key, reference, reason } = where;
    super(`mcpServers.${name}.${key}: "${reference}" could not be filled in: ${reason}`, {
      details: { server: name, key, reference, reason },
    });
  }
}

/** An edit named a server that the file does not have, or has already. */
export class ServerNameError extends AppError {
  readonly code = 'config.server_name';

  constructor(problem: { name: string; file: string; isThere: boolean; known: readonly string[] }) {
    const { name, file, isThere, known } = problem;
    const meant = isThere ? undefined : nearest(name, known);
    const proposal = meant === undefined ? '' : `. Did you mean "${meant}"?`;
    const what = isThere ? 'has a server of that name already' : 'has no server of that name';
    super(`"${name}" was not changed: ${file} ${what}${proposal}`, {
      details: { name, file },
      hint: isThere
        ? `Choose another name, or take the old one out first: \`tutti servers remove ${name}\`.`
        : '`tutti servers --no-start` lists the servers.',
    });
  }
}

/** A file of ours could not be written. It is as it was. */
export class FileNotWrittenError extends AppError {
  readonly code = 'config.file_not_written';

  constructor(file: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${file} was not written: ${reason}`, { cause, details: { file } });
  }
}

/** Another process kept a file locked for longer than an edit waits. */
export class FileLockedError extends AppError {
  readonly code = 'config.file_locked';
  override readonly retryable = true;

  constructor(file: string, waitedMs: number) {
    super(`${file} was not changed: another process kept it locked for ${waitedMs} ms`, {
      details: { file },
    });
  }
}

/** Tutti was not put into, or taken out of, the settings of an MCP client. The file is as it was. */
export class ClientFileError extends AppError {
  readonly code = 'config.client_file';

  constructor(file: string, reason: string) {
    super(`${file} was not changed: ${reason}`, { details: { file } });
  }
}

/** The configuration of another MCP client could not be read. */
export class ForeignFileError extends AppError {
  readonly code = 'config.foreign_file';

  constructor(file: string, reason: string) {
    super(`The servers in ${file} were not read: ${reason}`, { details: { file } });
  }
}
