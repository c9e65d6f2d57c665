import { readdirSync } from 'node:fs';
import { readIfThere, readProcessStat, type ProcessStat } from './process-stat.ts';

/**
 * A process and everything below it, also the dead that no parent has waited for. Stops after more than
 * `maxProcesses`, which then is what there is to know.
 */
export function findProcessTree(pid: number, maxProcesses: number): ProcessStat[] {
  const found: ProcessStat[] = [];
  const pending = [pid];
  const seen = new Set(pending);
  // Grows while it is walked; each process joins once.
  for (const next of pending) {
    const stat = readProcessStat(next);
    if (stat === undefined) continue;
    found.push(stat);
    if (found.length > maxProcesses) break;
    for (const child of stat.isDead ? [] : childrenOf(next)) {
      if (!seen.has(child)) pending.push(child);
      seen.add(child);
    }
  }
  return found;
}

/** Where files and memory of a process are told: when its first thread has ended, by another thread alone. */
export function folderOfProcess(pid: number): string {
  const own = `/proc/${pid}`;
  if (readProcessStat(pid)?.isHeadless !== true) return own;
  const thread = namesIn(`${own}/task`).findLast((name) => name !== String(pid));
  return thread === undefined ? own : `${own}/task/${thread}`;
}

/** Children hang on the thread that started them. */
function childrenOf(pid: number): number[] {
  return namesIn(`/proc/${pid}/task`).flatMap((thread) =>
    (readIfThere(`/proc/${pid}/task/${thread}/children`) ?? '')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
