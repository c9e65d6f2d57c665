import { statfsSync } from 'node:fs';
import { readIfThere } from './process-stat.ts';

/** Memory that a process has to itself and its part of what it has with others. */
export function memoryOfProcess(pid: number): number {
  const rollup = readIfThere(`/proc/${pid}/smaps_rollup`) ?? '';
  const proportional = /^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1];
  if (proportional !== undefined) return Number(proportional) * 1024;
  // Not to be looked at so closely: then shared memory counts in full for each.
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readIfThere(`/proc/${pid}/status`) ?? '')?.[1];
  return Number(resident ?? 0) * 1024;
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
