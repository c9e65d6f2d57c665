import { readdirSync, writeFileSync } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere } from './process-stat.ts';

/** Writes into a file of the kernel, which takes a value at once or refuses it. */
export function writeValue(folder: string, file: string, value: string | number): void {
  // Without creating: in a folder that is no cgroup (any more) there is nothing to set.
  writeFileSync(join(folder, file), String(value), { flag: 'r+' });
}

/** For what a kernel may lack, or what another limit already covers. */
export function tryWriteValue(folder: string, file: string, value: string | number): boolean {
  try {
    writeValue(folder, file, value);
    return true;
  } catch {
    return false;
  }
}

/** The first number in a file; undefined when it is gone. */
export function readNumber(folder: string, file: string): number | undefined {
  const text = readIfThere(join(folder, file));
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

/** The value of one line `KEY NUMBER`; 0 when there is none, undefined when the file is gone. */
export function readKeyed(folder: string, file: string, key: string): number | undefined {
  const text = readIfThere(join(folder, file));
  const line = text?.split('\n').find((one) => one.startsWith(`${key} `));
  if (text === undefined) return undefined;
  return line === undefined ? 0 : Number(line.slice(key.length + 1));
}

/** Words of a file, such as the names of controllers. */
export function readWords(folder: string, file: string): readonly string[] {
  return (readIfThere(join(folder, file)) ?? '').split(/\s+/).filter(Boolean);
}

export function membersOf(folder: string): readonly number[] {
  // 0 stands for a process of another process namespace: none that we could signal.
  return readWords(folder, 'cgroup.procs')
    .map(Number)
    .filter((pid) => pid > 1 && pid !== process.pid);
}

/** Enough for members that start others while they are being killed. */
const maxKillPasses = 10;

/** Kills all members of the folders of one group, whichever way its kernel offers. */
export function killGroup(folders: readonly string[]): void {
  for (const folder of folders) {
    // Nothing can be started any more, so that killing comes to an end.
    tryWriteValue(folder, 'pids.max', 0);
    tryWriteValue(folder, 'cgroup.kill', 1);
  }
  for (const folder of folders) killMembers(folder);
}

/** Until a look finds none that was not killed already. */
function killMembers(folder: string): void {
  const killed = new Set<number>();
  for (let pass = 0; pass < maxKillPasses; pass += 1) {
    const fresh = membersOf(folder).filter((pid) => !killed.has(pid));
    if (fresh.length === 0) return;
    for (const pid of fresh) {
      killed.add(pid);
      killProcess(pid);
    }
  }
}

/** A process, or with a negative number a group of them. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already, or not ours.
  }
}

/**
 * Makes all of the folders or none. Making and removing wait in the kernel while a process joins a
 * cgroup, some milliseconds each time, so neither is done where others wait too.
 */
export async function makeFolders(folders: readonly string[]): Promise<void> {
  for (const [index, folder] of folders.entries()) {
    try {
      await mkdir(folder);
    } catch (error) {
      await Promise.all(folders.slice(0, index).map(removeFolder));
      throw error;
    }
  }
}

/** True when it is gone; false while it has members. */
export async function removeFolder(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

export function subfolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}
