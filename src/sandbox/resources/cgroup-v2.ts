import { join } from 'node:path';
import type { SandboxLimits } from '../../contract/sandbox/index.ts';
import { CgroupControl } from './cgroup-control.ts';
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
import { cpuDelegationFix } from './describe-fix.ts';
import { prepareV2Base } from './prepare-v2-base.ts';

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
    writeLimits: (limits) => writeLimits(folder, limits),
    read: () => readV2Counts(folder),
    setFrozen: holdsCpuRate
      ? undefined
      : (isFrozen) => void tryWriteValue(folder, 'cgroup.freeze', isFrozen ? 1 : 0),
    kill: () => killGroup([folder]),
  };
}

const periodUs = 100_000;
/** The kernel takes no less. */
const minQuotaUs = 1_000;

function writeLimits(folder: string, limits: SandboxLimits): void {
  writeValue(folder, 'memory.max', limits.memoryBytes);
  // Absent where the kernel has no swap.
  tryWriteValue(folder, 'memory.swap.max', 0);
  // All of a program dies rather than whichever part is largest: half a program helps nobody.
  tryWriteValue(folder, 'memory.oom.group', 1);
  writeValue(folder, 'pids.max', limits.pids);
  const quotaUs = Math.max(minQuotaUs, Math.round(limits.cpus * periodUs));
  // Absent where the controller is not delegated, which `holder` tells.
  tryWriteValue(folder, 'cpu.max', `${quotaUs} ${periodUs}`);
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
