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

/** Removes the lock of a process that is gone, or cannot still be at it, and says whether it did. */
async function dropIfLeftBehind(lock: string): Promise<boolean> {
  if (!(await isLeftBehind(lock))) return false;
  // One at a time: a second one would remove the lock that was taken after the first had removed the old one.
  const dropping = `${lock}.drop`;
  try {
    await (await open(dropping, 'wx', 0o600)).close();
  } catch {
    if (await isOld(dropping)) await unlink(dropping).catch(() => {});
    return false;
  }
  try {
    if (!(await isLeftBehind(lock))) return false;
    await unlink(lock);
    return true;
  } catch {
    return false;
  } finally {
    await unlink(dropping).catch(() => {});
  }
}

async function isLeftBehind(lock: string): Promise<boolean> {
  const pid = Number(await readFile(lock, 'utf8').catch(() => ''));
  return (Number.isInteger(pid) && pid > 0 && !isRunning(pid)) || (await isOld(lock));
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > staleAfterMs;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
