import { existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SandboxLimits } from '../../contract/sandbox/index.ts';
import { CgroupControl } from './cgroup-control.ts';
import {
  killGroup,
  makeFolders,
  readKeyed,
  readNumber,
  readWords,
  removeFolder,
  tryWriteValue,
  writeValue,
} from './cgroup-folder.ts';
import type { Cgroup, CgroupCounts } from './cgroup-group.ts';
import type { CgroupPlace } from './cgroup-places.ts';
import { findProcessTree } from './process-stat.ts';
import { cpuDelegationFix } from './resource-control.ts';

const neededControllers = ['memory', 'pids', 'cpu', 'cpuacct'] as const;

type Needed = (typeof neededControllers)[number];

/** The folder of our own cgroup for each controller; several may be the same. */
type V1Bases = Readonly<Record<Needed, string>>;

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
    writeLimits: (limits) => writeV1Limits(folders, limits),
    read: () => readV1Counts(folders),
    kill: () => killGroup(distinct),
  };
}

const periodUs = 100_000;
/** The kernel takes no less. */
const minQuotaUs = 1_000;

function cpuQuotaUs({ cpus }: SandboxLimits): number {
  return Math.max(minQuotaUs, Math.round(cpus * periodUs));
}

function writeV1Limits(folders: V1Bases, limits: SandboxLimits): void {
  writeMemoryLimit(folders.memory, limits.memoryBytes);
  writeValue(folders.pids, 'pids.max', limits.pids);
  tryWriteValue(folders.cpu, 'cpu.cfs_period_us', periodUs);
  // Refused when a cgroup above has less: then that holds the program back, and more tightly.
  tryWriteValue(folders.cpu, 'cpu.cfs_quota_us', cpuQuotaUs(limits));
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
  // A half-removed group has no members whose numbers could change.
  if (oomKills === undefined || refusedForks === undefined) return undefined;
  if (cpuNs === undefined || peakMemoryBytes === undefined) return undefined;
  return { oomKills, refusedForks, cpuMs: cpuNs / 1e6, peakMemoryBytes };
}

/** Undefined when no cgroup below which groups can be made is to be had. */
export function controlByV2(place: CgroupPlace): CgroupControl | undefined {
  const base = prepareV2Base(place, { isRoot: process.getuid?.() === 0 });
  if (base === undefined) return undefined;
  const holdsCpuRate = base.controllers.includes('cpu');
  return new CgroupControl({
    kind: 'cgroup-v2',
    make: (name) => makeV2Cgroup(base.folder, name, holdsCpuRate),
    roots: [place.mountPoint],
    holdsCpuRate,
    fix: holdsCpuRate ? undefined : cpuDelegationFix,
  });
}

/** Makes the group's folder. Throws what the system answers. */
export async function makeV2Cgroup(
  base: string,
  name: string,
  holdsCpuRate = true,
): Promise<Cgroup> {
  const folder = join(base, name);
  await makeFolders([folder]);
  return {
    folders: [folder],
    joinFiles: [join(folder, 'cgroup.procs')],
    eventFiles: [join(folder, 'memory.events'), join(folder, 'pids.events')],
    writeLimits: (limits) => writeV2Limits(folder, limits),
    read: () => readV2Counts(folder),
    setFrozen: holdsCpuRate
      ? undefined
      : (isFrozen) => void tryWriteValue(folder, 'cgroup.freeze', isFrozen ? 1 : 0),
    kill: () => killGroup([folder]),
  };
}

function writeV2Limits(folder: string, limits: SandboxLimits): void {
  writeValue(folder, 'memory.max', limits.memoryBytes);
  // Absent where the kernel has no swap.
  tryWriteValue(folder, 'memory.swap.max', 0);
  // All of a program dies rather than whichever part is largest: half a program is of no use.
  tryWriteValue(folder, 'memory.oom.group', 1);
  writeValue(folder, 'pids.max', limits.pids);
  // Absent where the controller is not delegated, which `holder` tells.
  tryWriteValue(folder, 'cpu.max', `${cpuQuotaUs(limits)} ${periodUs}`);
}

/** Undefined once the group is gone. */
export function readV2Counts(folder: string): CgroupCounts | undefined {
  const oomKills = readKeyed(folder, 'memory.events', 'oom_kill');
  const refusedForks = readKeyed(folder, 'pids.events', 'max');
  const cpuUs = readKeyed(folder, 'cpu.stat', 'usage_usec');
  // Kernels before 5.19 tell no peak: then the highest that was seen.
  const peakMemoryBytes = readNumber(folder, 'memory.peak') ?? readNumber(folder, 'memory.current');
  if (oomKills === undefined || refusedForks === undefined) return undefined;
  if (cpuUs === undefined || peakMemoryBytes === undefined) return undefined;
  return { oomKills, refusedForks, cpuMs: cpuUs / 1e3, peakMemoryBytes };
}

/** Processes below this one, the dead included. */
const maxFamily = 10_000;

/** A cgroup below which groups with limits can be made. */
interface V2Base {
  readonly folder: string;
  /** Those of the wanted ones that its groups have. */
  readonly controllers: readonly string[];
}

interface V2BaseOptions {
  readonly isRoot: boolean;
  /** Without these it is no base. */
  readonly needed?: readonly string[] | undefined;
  /** Taken when they are to be had. */
  readonly wanted?: readonly string[] | undefined;
}

/**
 * Where processes of a delegated cgroup stand once controllers are on for its children: version 2
 * allows no processes beside such children.
 */
const leafName = 'tutti-self';
/** Where root keeps groups when its own cgroup holds processes of others, as a login session does. */
const rootFolderName = 'tutti';

/** Undefined when there is none: not writable, without controllers, or full of processes of others. */
export function prepareV2Base(place: CgroupPlace, options: V2BaseOptions): V2Base | undefined {
  const isInLeaf = basename(place.folder) === leafName;
  const own = isInLeaf ? dirname(place.folder) : place.folder;
  const base = enableBelow(own, options) ?? enableBelowMoved(place, own, options);
  if (base || !options.isRoot || own === place.mountPoint) return base;
  if (enableBelow(place.mountPoint, options) === undefined) return undefined;
  const folder = join(place.mountPoint, rootFolderName);
  return makeFolder(folder) ? enableBelow(folder, options) : undefined;
}

function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    return true;
  } catch {
    // Read-only, as in most containers, or not ours.
    return false;
  }
}

function enableBelow(folder: string, options: V2BaseOptions): V2Base | undefined {
  const { needed = ['memory', 'pids'], wanted = ['cpu'] } = options;
  const offered = readWords(folder, 'cgroup.controllers');
  if (!needed.every((name) => offered.includes(name))) return undefined;
  const enable = (names: readonly string[]): boolean => {
    const enabled = readWords(folder, 'cgroup.subtree_control');
    const missing = names.filter((name) => !enabled.includes(name));
    const change = missing.map((name) => `+${name}`).join(' ');
    return missing.length === 0 || tryWriteValue(folder, 'cgroup.subtree_control', change);
  };
  if (!enable(needed)) return undefined;
  const extra = wanted.filter((name) => offered.includes(name) && enable([name]));
  return { folder, controllers: [...needed, ...extra] };
}

/** The processes may have started others since they were listed. */
const maxMoveRounds = 5;

/** Moves what stands in our cgroup into a leaf of it, when that disturbs no other process. */
function enableBelowMoved(
  place: CgroupPlace,
  own: string,
  options: V2BaseOptions,
): V2Base | undefined {
  if (!mayMove(place, own)) return undefined;
  const leaf = join(own, leafName);
  if (!makeFolder(leaf)) return undefined;
  moveAll(own, leaf);
  const base = enableBelow(own, options);
  if (base) return base;
  moveAll(leaf, own);
  void removeFolder(leaf);
  return undefined;
}

/**
 * When all of them are ours; or when our cgroup is the top of what a container sees: everything in it
 * then belongs to the container, and runtimes follow its first process when they add another.
 */
function mayMove(place: CgroupPlace, own: string): boolean {
  const members = readWords(own, 'cgroup.procs').map(Number);
  if (members.length === 0 || members.includes(0)) return false;
  // The top of the whole machine has no such file, and no rule against processes either.
  if (own === place.mountPoint) return existsSync(join(own, 'cgroup.type'));
  const family = new Set(findProcessTree(process.pid, maxFamily).map((one) => one.pid));
  return members.every((pid) => family.has(pid));
}

function moveAll(from: string, to: string): void {
  for (let round = 0; round < maxMoveRounds; round += 1) {
    const members = readWords(from, 'cgroup.procs');
    if (members.length === 0) return;
    for (const pid of members) tryWriteValue(to, 'cgroup.procs', pid);
  }
}
