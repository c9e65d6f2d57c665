import { readdirSync, statfsSync } from 'node:fs';
import { readIfThere } from './process-stat.ts';

/**
 * How long the processes of a program may take to be measured exactly: a program can make its memory so
 * complicated that each takes tens of milliseconds, in which nobody else is served.
 */
const exactTimeMs = 25;

/** Memory of processes together. What they share counts once, or for each where that takes too long. */
export function memoryOfProcesses(pids: readonly number[], maxExactMs = exactTimeMs): number {
  const until = performance.now() + maxExactMs;
  return pids.reduce((sum, pid) => {
    const exact = performance.now() < until ? proportionalMemory(pid) : undefined;
    return sum + (exact ?? residentMemory(pid) ?? memoryByThreads(pid));
  }, 0);
}

function residentMemory(pid: number): number | undefined {
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readIfThere(`/proc/${pid}/status`) ?? '')?.[1];
  return resident === undefined ? undefined : Number(resident) * 1024;
}

/** Threads that are asked for the memory of their process; those that end meanwhile know nothing. */
const maxAskedThreads = 8;

/** A process whose first thread has ended tells nothing itself. */
function memoryByThreads(pid: number): number {
  for (const thread of threadsOf(pid).slice(-maxAskedThreads)) {
    const resident = residentMemory(thread);
    if (resident !== undefined) return resident;
  }
  return 0;
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

/** What a process has to itself and its part of what it has with others; undefined when that is not told. */
function proportionalMemory(pid: number): number | undefined {
  const rollup = readIfThere(`/proc/${pid}/smaps_rollup`) ?? '';
  const proportional = /^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1];
  return proportional === undefined ? undefined : Number(proportional) * 1024;
}

/** Bytes of files in the temporary file systems that a process sees and we do not: they are memory. */
export function memoryOfPrivateFiles(pid: number, ours: ReadonlySet<string>): number {
  return temporaryMounts(`/proc/${pid}/mountinfo`)
    .filter(({ device }) => !ours.has(device))
    .reduce((sum, mount) => sum + usedBytes(`/proc/${pid}/root${mount.mountPoint}`), 0);
}

/** The devices of our own temporary file systems. */
export function ownTemporaryDevices(): ReadonlySet<string> {
  return new Set(temporaryMounts('/proc/self/mountinfo').map(({ device }) => device));
}

interface TemporaryMount {
  readonly device: string;
  readonly mountPoint: string;
}

/** One mount of each device: what is mounted twice is there once. */
function temporaryMounts(path: string): TemporaryMount[] {
  const mounts = (readIfThere(path) ?? '').split('\n').flatMap((line) => {
    const [, , device = '', , mountPoint = ''] = line.split(' ');
    return line.includes(' - tmpfs ') ? [{ device, mountPoint }] : [];
  });
  return [...new Map(mounts.map((mount) => [mount.device, mount])).values()];
}

function usedBytes(path: string): number {
  try {
    const { blocks, bfree, bsize } = statfsSync(path);
    return (blocks - bfree) * bsize;
  } catch {
    // Not ours to look at, or gone with its process.
    return 0;
  }
}
