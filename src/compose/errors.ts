import { AppError } from '../kernel/index.ts';

/** `--only` names servers that there are not. */
export class UnknownServersError extends AppError {
  readonly code = 'compose.unknown_server';

  constructor(unknown: readonly string[], known: readonly string[]) {
    super(`There is no server ${unknown.join(', ')} to serve. Choose from: ${known.join(', ')}`, {
      details: { unknown, known },
    });
  }
}

/** Nothing can be kept where the settings say. */
export class DataDirectoryError extends AppError {
  readonly code = 'compose.data_directory';

  constructor(home: string, reason: string) {
    super(
      `The data directory ${home} cannot be used: ${reason}. Correct that, or set TUTTI_HOME to a directory that you can write to`,
      { details: { home } },
    );
  }
}

/** A server of a project was to start after the project changed: the user trusted something else. */
export class ChangedProjectError extends AppError {
  readonly code = 'compose.project_changed';

  constructor(server: string, file: string) {
    super(
      `Server "${server}" was not started: ${file}, or a file that it runs, changed since you trusted it. Look at it with "tutti trust"`,
      { details: { server, file } },
    );
  }
}

/** The scanner could not tell what is in the code. */
export class NotScannedError extends AppError {
  readonly code = 'compose.not_scanned';
}

/** An agent may ask a model no more for its task. */
export class BudgetUsedUpError extends AppError {
  readonly code = 'agents.budget_exceeded';

  constructor(what: 'tokens' | 'money', chain: readonly string[]) {
    super(`The limit of ${what} for this task is used up (${chain.join(' → ')})`, {
      details: { what, chain },
    });
  }
}

export class AgentFileExistsError extends AppError {
  readonly code = 'agents.file_exists';

  constructor(path: string) {
    super(`${path} is there already: rename or remove it, or give the new one another name`, {
      details: { path },
    });
  }
}

/** No instance has this id, or several ids begin with it. */
export class UnknownInstanceError extends AppError {
  readonly code = 'compose.unknown_instance';

  constructor(id: string, all: readonly { readonly id: string }[]) {
    const known = all.map((instance) => instance.id);
    const listed = known.length === 0 ? 'none is running' : `choose from: ${known.join(', ')}`;
    super(`There is not one instance "${id}": ${listed}`, { details: { id, known } });
  }
}

/** The instance ended without a word. */
export class InstanceGoneError extends AppError {
  readonly code = 'compose.instance_gone';

  constructor({ id, host, lastBeatAt }: { id: string; host: string; lastBeatAt: string }) {
    super(`Instance ${id} on ${host} cannot be drained: it was last heard of at ${lastBeatAt}`, {
      details: { id, host, lastBeatAt },
    });
  }
}
