import type { FamilyUse } from './owned-process.ts';
import { listProcesses, readProcMemory, type ProcessRow } from './list-processes.ts';

/** A way to see all processes as they are at some moment after the call. */
export type LookAtProcesses = () => Promise<readonly ProcessRow[]>;

/**
 * Looks at most twice at a time, however many ask: who asks while a look is under way shares the next
 * one. So stopping two hundred programs at once costs a few looks, not hundreds.
 */
export function shareLooks(look: LookAtProcesses = listProcesses): LookAtProcesses {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<readonly ProcessRow[]> | undefined;
  return () => {
    next ??= current.then(() => {
      const looking = look();
      next = undefined;
      // A failed look fails for those who share it, not for the ones after it.
      current = looking.catch(() => {});
      return looking;
    });
    return next;
  };
}

/** A process and everything below it, as the parents stand now. */
export function familyOf(pid: number, rows: readonly ProcessRow[]): ProcessRow[] {
  const children = Map.groupBy(rows, (row) => row.parent);
  const family = rows.filter((row) => row.pid === pid);
  const seen = new Set([pid]);
  // Grows while it is walked; each process joins once, so it ends.
  for (const member of family) {
    for (const child of children.get(member.pid) ?? []) {
      if (seen.has(child.pid)) continue;
      seen.add(child.pid);
      family.push(child);
    }
  }
  return family;
}

/** What a process and all below it use; null when it is gone or the platform does not tell. */
export async function measureFamily(pid: number, look: LookAtProcesses): Promise<FamilyUse | null> {
  const family = familyOf(pid, await look());
  const amounts = family.flatMap((row) => row.memoryBytes ?? readProcMemory(row.pid) ?? []);
  if (amounts.length === 0) return null;
  const memoryBytes = amounts.reduce((sum, bytes) => sum + bytes, 0);
  return { processes: family.length, memoryBytes };
}
