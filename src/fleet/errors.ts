import { AppError } from '../kernel/index.ts';

/** The catalogue has no tool, resource or prompt of that name. */
export class UnknownNameError extends AppError {
  readonly code = 'fleet.not_found';

  constructor(kind: 'tool' | 'resource' | 'prompt', name: string) {
    super(`Unknown ${kind}: ${name}`, { details: { kind, name } });
  }
}

/** A server was asked for by a name that none has. */
export class UnknownServerError extends AppError {
  readonly code = 'fleet.unknown_server';

  constructor(name: string, known: readonly string[]) {
    super(`There is no server "${name}". Known servers: ${known.join(', ')}`, {
      details: { name, known },
    });
  }
}
