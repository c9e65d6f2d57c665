import { open, readFile, stat, unlink } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { isRunning } from '../kernel/index.ts';
import { FileLockedError, FileNotWrittenError } from './errors.ts';

/** How long an edit waits for another one; an edit itself takes a few milliseconds. */
const usualWaitMs = 10_000;
const pauseMs = 20;
/** A lock older than this was left behind by a process that died. */
const staleAfterMs = 5_000;

/** Runs `work` while no other process of ours changes `file`. */
export async function withFileLock<Result>(
  file: string,
  work: () => Promise<Result>,
  maxWaitMs: number = usualWaitMs,
): Promise<Result> {
  const lock = `${file}.lock`;
  await take(file, lock, maxWaitMs);
  try {
    return await work();
  } finally {
    await unlink(lock).catch(() => {});
  }
}

async function take(file: string, lock: string, maxWaitMs: number): Promise<void> {
  const giveUpAt = Date.now() + maxWaitMs;
  while (Date.now() < giveUpAt) {
    try {
      const handle = await open(lock, 'wx', 0o600);
      await handle.writeFile(String(process.pid));
      await handle.close();
      return;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw new FileNotWrittenError(file, error);
    }
    if (!(await dropIfLeftBehind(lock))) await pause(pauseMs);
  }
  throw new FileLockedError(file, maxWaitMs);
}

/** Removes the lock when whoever took it is gone, or cannot still be at it, and says whether it did. */
async function dropIfLeftBehind(lock: string): Promise<boolean> {
  try {
    const seen = await stat(lock);
    const pid = Number(await readFile(lock, 'utf8'));
    const isOld = Date.now() - seen.mtimeMs > staleAfterMs;
    const isOrphaned = Number.isInteger(pid) && pid > 0 && !isRunning(pid);
    if (!isOld && !isOrphaned) return false;
    // Another process may have dropped it and taken the lock since.
    const { ino, mtimeMs } = await stat(lock);
    if (ino !== seen.ino || mtimeMs !== seen.mtimeMs) return false;
    await unlink(lock);
    return true;
  } catch {
    return false;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
