import { AppError } from '../../kernel/index.ts';
import { DatabaseServerError, DiskFullError, StoreBusyError } from '../errors.ts';

/**
 * What a failure of PostgreSQL or of the connection to it means for what was attempted. `lost`: the connection
 * is gone, or there was none. `conflict`: rolled back in favour of another transaction. Both may be tried again.
 */
export type FailureKind = 'lost' | 'conflict' | 'busy' | 'disk_full' | 'refused' | 'bug';

/** SQLSTATE codes, https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const kindsOfState: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  ['40001', 'conflict'],
  ['40P01', 'conflict'],
  ['55P03', 'busy'],
  ['57014', 'busy'],
  ['53100', 'disk_full'],
  ['57P01', 'lost'],
  ['57P02', 'lost'],
  ['57P03', 'lost'],
  ['53300', 'lost'],
  ['25006', 'refused'],
  ['28000', 'refused'],
  ['28P01', 'refused'],
  ['3D000', 'refused'],
  ['42501', 'refused'],
]);

/** Of the system, below the protocol. */
const lostConnection = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** What `pg` throws without a code. */
const lostMessage =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Cannot use a pool after)/;

export function failureKind(error: unknown): FailureKind {
  if (error instanceof AppError || !(error instanceof Error)) return 'bug';
  const code = 'code' in error ? String(error.code) : '';
  const known = kindsOfState.get(code);
  if (known !== undefined) return known;
  const isLost =
    lostConnection.has(code) || code.startsWith('08') || lostMessage.test(error.message);
  return isLost ? 'lost' : 'bug';
}

export function isStateOf(error: unknown, state: string): boolean {
  return error instanceof Error && 'code' in error && error.code === state;
}

/** What PostgreSQL or `pg` threw, as an error a user can act on; a bug passes unchanged. */
export function translateError(error: unknown, database: string): unknown {
  switch (failureKind(error)) {
    case 'lost':
    case 'refused':
      return new DatabaseServerError(database, error);
    case 'conflict':
    case 'busy':
      return new StoreBusyError(database, error);
    case 'disk_full':
      return new DiskFullError(database, error);
    case 'bug':
      return error;
  }
}
