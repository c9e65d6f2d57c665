import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkspaceBusyError } from '../errors.ts';

const waitLimitMs = 30_000;
const retryMs = 10;
const busyCode = 5;

/**
 * Lets one process at a time change files. An exclusive transaction of an empty SQLite database is a lock
 * that the system releases when its process dies, which Node offers no other way to get.
 */
export async function withChangeLock<Result>(
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
  work: () => Promise<Result>,
): Promise<Result> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    const started = performance.now();
    while (!tryLock(database)) {
      if (performance.now() - started > waitLimitMs) throw new WorkspaceBusyError(waitLimitMs);
      await sleep(retryMs, undefined, { signal });
    }
    return await work();
  } finally {
    database.close();
  }
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === busyCode) return false;
    throw error;
  }
}
