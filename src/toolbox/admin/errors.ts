import { AppError } from '../../kernel/index.ts';

/** `call_tool` was given a name that no tool has. */
export class UnknownToolError extends AppError {
  readonly code = 'admin.unknown_tool';

  /** `similar` and `finder` are names as the client knows them. */
  constructor(name: string, { similar, finder }: { similar: string | undefined; finder: string }) {
    const advice = similar === undefined ? '' : `Did you mean "${similar}"? `;
    super(`There is no tool "${name}", so none was called. ${advice}${finder} finds tools`, {
      details: { name, ...(similar !== undefined && { similar }) },
    });
  }
}

/** A `call_tool` call that names `call_tool` itself. */
export class RecursiveCallError extends AppError {
  readonly code = 'admin.recursive_call';

  constructor(name: string) {
    super(`Tool "${name}" was not called: it cannot call itself. Name the tool you want called`, {
      details: { name },
    });
  }
}

/** A server was asked about that there is not. */
export class UnknownServerError extends AppError {
  readonly code = 'admin.unknown_server';

  constructor(name: string, known: readonly string[]) {
    super(`There is no server "${name}". There are: ${known.join(', ')}`, {
      details: { name, known },
    });
  }
}
