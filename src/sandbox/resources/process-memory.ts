import { readdirSync } from 'node:fs';
import { readIfThere } from './process-stat.ts';

/**
 * How long the processes of a program may take to be measured exactly: a program can make its memory so
 * complicated that each takes tens of milliseconds, in which nobody else is served.
 */
const exactTimeMs = 25;

export interface ProcessMemory {
  /** All of it: resident, swapped out, and page tables. */
  readonly bytes: number;
  /** The part that is no private memory: page tables and shared memory. */
  readonly commonBytes: number;
}

/** Memory of processes together. What they share counts once, or for each where that takes too long. */
export function memoryOfProcesses(
  pids: readonly number[],
  maxExactMs = exactTimeMs,
): ProcessMemory {
  const until = performance.now() + maxExactMs;
  let bytes = 0;
  let commonBytes = 0;
  for (const pid of pids) {
    const exact = performance.now() < until ? readIfThere(`/proc/${pid}/smaps_rollup`) : undefined;
    const status = statusOf(pid);
    const pageTables = sizeIn(status, 'VmPTE');
    const isExact = exact !== undefined && exact !== '';
    const shared = isExact ? sizeIn(exact, 'Pss_Shmem') : sizeIn(status, 'RssShmem');
    bytes += pageTables;
    bytes += isExact ? sizeIn(exact, 'Pss') : sizeIn(status, 'VmRSS');
    bytes += isExact ? sizeIn(exact, 'SwapPss') : sizeIn(status, 'VmSwap');
    commonBytes += pageTables + shared;
  }
  return { bytes, commonBytes };
}

function sizeIn(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024;
}

/** Threads that are asked for the memory of their process; those that end meanwhile know nothing. */
const maxAskedThreads = 8;

/** A process whose first thread has ended tells nothing itself: another thread is asked. */
function statusOf(pid: number): string {
  const own = readIfThere(`/proc/${pid}/status`) ?? '';
  if (own.includes('\nVmRSS:')) return own;
  for (const thread of threadsOf(pid).slice(-maxAskedThreads)) {
    const status = readIfThere(`/proc/${thread}/status`) ?? '';
    if (status.includes('\nVmRSS:')) return status;
  }
  return own;
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}
