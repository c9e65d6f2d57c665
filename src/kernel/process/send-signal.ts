/** Smaller numbers are special: 0 is our own group, 1 the first process, -1 every process. */
const firstUsableId = 2;

const treeKillTimeoutMs = 5_000;

/** True when a process (or a group, where there are groups) of that id exists, dead but unreaped ones included. */
export function groupExists(group: number): boolean {
  return signal(groupTarget(group), 0);
}

/** Signals a whole process group. On Windows, which has none, the process and all below it are killed. */
export function signalGroup(group: number, name: 'SIGTERM' | 'SIGKILL'): void {
  if (group < firstUsableId || group === process.pid) return;
  if (process.platform === 'win32') void killTree(group, name === 'SIGKILL');
  else signal(-group, name);
}

/** Kills one process; never ourselves. */
export function killProcess(pid: number): void {
  if (pid >= firstUsableId && pid !== process.pid) signal(pid, 'SIGKILL');
}

function groupTarget(group: number): number {
  return process.platform === 'win32' ? group : -group;
}

/** False when no such process exists. A refused permission means that one exists. */
function signal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, name);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function killTree(pid: number, isForced: boolean): Promise<void> {
  const { execFile } = await import('node:child_process');
  const args = ['/PID', String(pid), '/T', ...(isForced ? ['/F'] : [])];
  // Failing means that it is gone already.
  execFile('taskkill', args, { windowsHide: true, timeout: treeKillTimeoutMs }, () => {});
}
