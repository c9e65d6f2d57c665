import { AppError } from '../../kernel/index.ts';
import {
  CorruptDatabaseError,
  DiskFullError,
  StoreBusyError,
  StoreUnavailableError,
} from '../errors.ts';

/** SQLite's primary result codes: the lowest byte of what it reports. */
const sqliteCode = {
  busy: 5,
  locked: 6,
  readonly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/** What SQLite or the file system threw, as an error a user can act on; a bug passes unchanged. */
export function translateError(error: unknown, path: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  switch (primaryCode(error)) {
    case sqliteCode.busy:
    case sqliteCode.locked:
      return new StoreBusyError(path, error);
    case sqliteCode.corrupt:
    case sqliteCode.notADatabase:
      return new CorruptDatabaseError(path, error);
    case sqliteCode.full:
      return new DiskFullError(path, error);
    case sqliteCode.readonly:
    case sqliteCode.ioError:
    case sqliteCode.cannotOpen:
      return new StoreUnavailableError(path, error);
    case undefined:
      return translateFileError(error, path);
    default:
      return error;
  }
}

export function isBusy(error: unknown): boolean {
  return error instanceof Error && primaryCode(error) === sqliteCode.busy;
}

function primaryCode(error: Error): number | undefined {
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

function translateFileError(error: Error, path: string): unknown {
  if (!('syscall' in error) || !('code' in error)) return error;
  return error.code === 'ENOSPC'
    ? new DiskFullError(path, error)
    : new StoreUnavailableError(path, error);
}
