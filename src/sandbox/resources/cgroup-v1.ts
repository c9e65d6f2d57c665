import { join } from 'node:path';
import type { SandboxLimits } from '../../contract/sandbox/index.ts';
import {
  killGroup,
  makeFolders,
  readKeyed,
  readNumber,
  tryWriteValue,
  writeValue,
} from './cgroup-folder.ts';
import type { Cgroup, CgroupCounts } from './cgroup-group.ts';
import type { CgroupPlace } from './cgroup-places.ts';

const neededControllers = ['memory', 'pids', 'cpu', 'cpuacct'] as const;

type Needed = (typeof neededControllers)[number];

/** The folder of our own cgroup for each controller; several may be the same. */
export type V1Bases = Readonly<Record<Needed, string>>;

/** Undefined when one of the controllers is not there. */
export function findV1Bases(places: readonly CgroupPlace[]): V1Bases | undefined {
  const baseOf = (controller: Needed): string | undefined =>
    places.find((place) => place.controllers.includes(controller))?.folder;
  const [memory, pids, cpu, cpuacct] = neededControllers.map(baseOf);
  return memory && pids && cpu && cpuacct ? { memory, pids, cpu, cpuacct } : undefined;
}

/** Makes the group's folders and sets its limits. Throws what the system answers; nothing is left then. */
export async function makeV1Cgroup(bases: V1Bases, name: string): Promise<Cgroup> {
  const folders: V1Bases = {
    memory: join(bases.memory, name),
    pids: join(bases.pids, name),
    cpu: join(bases.cpu, name),
    cpuacct: join(bases.cpuacct, name),
  };
  const distinct = [...new Set(Object.values(folders))];
  await makeFolders(distinct);
  return {
    folders: distinct,
    // A thread that moves itself alone does not wait for all others to notice, as `cgroup.procs` does: milliseconds.
    joinFiles: distinct.map((folder) => join(folder, 'tasks')),
    eventFiles: [join(folders.pids, 'pids.events')],
    writeLimits: (limits) => writeLimits(folders, limits),
    read: () => readV1Counts(folders),
    kill: () => killGroup(distinct),
  };
}

const periodUs = 100_000;
/** The kernel takes no less. */
const minQuotaUs = 1_000;

function writeLimits(folders: V1Bases, limits: SandboxLimits): void {
  writeMemoryLimit(folders.memory, limits.memoryBytes);
  writeValue(folders.pids, 'pids.max', limits.pids);
  const quotaUs = Math.max(minQuotaUs, Math.round(limits.cpus * periodUs));
  tryWriteValue(folders.cpu, 'cpu.cfs_period_us', periodUs);
  // Refused when a cgroup above has less: then that holds the program back, and more tightly.
  tryWriteValue(folders.cpu, 'cpu.cfs_quota_us', quotaUs);
}

/** This version counts buffers of TCP apart: a quarter of the memory limit, besides it. */
export function limitTcpBuffers(folder: string, memoryBytes: number): void {
  tryWriteValue(folder, 'memory.kmem.tcp.limit_in_bytes', Math.floor(memoryBytes / 4));
}

/**
 * Memory with swap may never be limited below memory alone, not even between two writes; so it is
 * raised before and lowered after.
 */
function writeMemoryLimit(folder: string, bytes: number): void {
  tryWriteValue(folder, 'memory.memsw.limit_in_bytes', bytes);
  writeValue(folder, 'memory.limit_in_bytes', bytes);
  const countsSwap = tryWriteValue(folder, 'memory.memsw.limit_in_bytes', bytes);
  if (!countsSwap) tryWriteValue(folder, 'memory.swappiness', 0);
  limitTcpBuffers(folder, bytes);
}

/** Undefined once the group is gone. */
export function readV1Counts(folders: V1Bases): CgroupCounts | undefined {
  const oomKills = readKeyed(folders.memory, 'memory.oom_control', 'oom_kill');
  const refusedForks = readKeyed(folders.pids, 'pids.events', 'max');
  const cpuNs = readNumber(folders.cpuacct, 'cpuacct.usage');
  const peakMemoryBytes = readNumber(folders.memory, 'memory.max_usage_in_bytes');
  // In one that is half removed nobody is left whose numbers could change.
  if (oomKills === undefined || refusedForks === undefined) return undefined;
  if (cpuNs === undefined || peakMemoryBytes === undefined) return undefined;
  return { oomKills, refusedForks, cpuMs: cpuNs / 1e6, peakMemoryBytes };
}
