import { closeSync, openSync, readdirSync, readSync, statfsSync } from 'node:fs';
import { readIfThere } from './process-stat.ts';
import { folderOfProcess } from './process-tree.ts';

const mebibyte = 1024 * 1024;

/**
 * Bytes of the machine that are neither free nor reclaimable nor private memory of a process nor files of
 * ours: what the kernel holds for programs (buffers of sockets and pipes, page tables, mappings) and shared
 * memory. None of it is told about a single process. Undefined where this machine does not tell it.
 */
export function unattributedMemory(text = readIfThere('/proc/meminfo') ?? ''): number | undefined {
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)?.[1] ?? Number.NaN) * 1024;
  const cached = bytes('Cached') - bytes('Shmem') + bytes('Buffers') + bytes('SwapCached');
  const reclaimable = cached + bytes('SReclaimable');
  const held = bytes('MemTotal') - bytes('MemFree') - reclaimable - bytes('AnonPages');
  return Number.isNaN(held) ? undefined : held;
}

/** Bytes of files in the temporary file systems that this process sees: other programs fill them. */
export function visibleTemporaryFiles(): number {
  const mounts = (readIfThere('/proc/self/mountinfo') ?? '').split('\n').flatMap((line) => {
    const [, , device = '', , mountPoint = ''] = line.split(' ');
    return line.includes(' - tmpfs ') ? [[device, mountPoint] as const] : [];
  });
  return [...new Map(mounts).values()].reduce((sum, mountPoint) => sum + usedBytes(mountPoint), 0);
}

function usedBytes(path: string): number {
  try {
    const { blocks, bfree, bsize } = statfsSync(path);
    return (blocks - bfree) * bsize;
  } catch {
    // Not ours to look at.
    return 0;
  }
}

/** Both buffers of a TCP connection, as large as they get. */
const bytesPerSocket = 40 * mebibyte;
/** A pipe. */
const bytesPerDescriptor = mebibyte;
const bytesPerMapping = 1024;
/** Of the list of mappings, which takes as long to read as it is. */
const maxMapsBytes = 256 * 1024;
/** Processes that are looked at; the others are taken to be like them. */
const maxProcesses = 64;

/**
 * The most that the kernel can hold for the processes of one sandbox beside what they show. Infinite for
 * one that maps shared memory, of which a single mapped page keeps all, or hides what it has.
 */
export function hiddenCapacity(pids: readonly number[]): number {
  const [first] = pids;
  if (first === undefined) return 0;
  const sockets = /^sockets: used (\d+)$/m.exec(
    readIfThere(`${folderOfProcess(first)}/net/sockstat`) ?? '',
  )?.[1];
  if (sockets === undefined) return Infinity;
  const looked = pids.slice(-maxProcesses);
  const own = looked.reduce((sum, pid) => sum + capacityOfProcess(pid), 0);
  return Number(sockets) * bytesPerSocket + (own * pids.length) / looked.length;
}

function capacityOfProcess(pid: number): number {
  try {
    const folder = folderOfProcess(pid);
    const maps = readStart(`${folder}/maps`);
    if (maps.length === maxMapsBytes || maps.includes('/dev/zero (deleted)')) return Infinity;
    const descriptors = readdirSync(`${folder}/fd`).length;
    return descriptors * bytesPerDescriptor + maps.split('\n').length * bytesPerMapping;
  } catch (error) {
    const isHidden = error instanceof Error && 'code' in error && error.code === 'EACCES';
    // Otherwise it has ended.
    return isHidden ? Infinity : 0;
  }
}

function readStart(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(maxMapsBytes);
    let length = 0;
    // The kernel gives a page at a time.
    for (let count = -1; count !== 0 && length < maxMapsBytes; length += count) {
      count = readSync(file, bytes, length, maxMapsBytes - length, null);
    }
    return bytes.toString('latin1', 0, length);
  } finally {
    closeSync(file);
  }
}
