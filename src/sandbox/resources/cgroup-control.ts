import { randomBytes } from 'node:crypto';
import { readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Holder, SandboxLimits } from '../../contract/sandbox/index.ts';
import { isRunning } from '../../kernel/index.ts';
import { killGroup, removeFolder, subfolders } from './cgroup-folder.ts';
import { type Cgroup, CgroupGroup, removeCgroup } from './cgroup-group.ts';
import { readProcessStat } from './process-stat.ts';
import type {
  ResourceControl,
  ResourceControlKind,
  ResourceGroup,
  ResourceProtection,
} from './resource-control.ts';

interface CgroupControlOptions {
  readonly kind: ResourceControlKind;
  /** Makes an empty group of this name without limits. */
  readonly make: (name: string) => Promise<Cgroup>;
  /** Where groups of dead owners are looked for. */
  readonly roots: readonly string[];
  readonly holdsCpuRate: boolean;
  readonly fix?: string | undefined;
}

const pollIntervalMs = 100;
/** Far more than it takes from making a group to its first member. */
const emptyGroupMs = 600_000;

/** Lets the kernel count and limit. */
export class CgroupControl implements ResourceControl {
  readonly kind: ResourceControlKind;
  readonly fix: string | undefined;
  readonly #options: CgroupControlOptions;
  /** Closed groups whose dead would not go; tried again when there is an occasion. */
  readonly #left = new Set<Cgroup>();

  constructor(options: CgroupControlOptions) {
    this.#options = options;
    this.kind = options.kind;
    this.fix = options.fix;
  }

  holder(protection: ResourceProtection): Holder {
    // The kernel counts CPU time and kills no process for it: that is done here.
    if (protection === 'cpu-time') return 'supervisor';
    return protection === 'cpu-rate' && !this.#options.holdsCpuRate ? 'supervisor' : 'kernel';
  }

  async open(limits: SandboxLimits): Promise<ResourceGroup> {
    const cgroup = await this.#options.make(newGroupName());
    try {
      cgroup.writeLimits(limits);
    } catch (error) {
      await removeCgroup(cgroup);
      throw error;
    }
    return new CgroupGroup(cgroup, limits, {
      pollMs: pollIntervalMs,
      onLeft: (left) => this.#left.add(left),
    });
  }

  async sweep(): Promise<number> {
    for (const cgroup of this.#left) {
      if (await removeCgroup(cgroup)) this.#left.delete(cgroup);
    }
    let removed = 0;
    for (const { owner, folders } of findGroups(this.#options.roots)) {
      const isRemoved = isOwnerDead(owner)
        ? await removeCgroup({ folders, kill: () => killGroup(folders) })
        : await removeIfAbandoned(folders);
      if (isRemoved) removed += 1;
    }
    return removed;
  }
}

/**
 * Removes a group that has been empty for long, regardless of its owner: the death of a process namespace ends all
 * its processes, and from outside it cannot be told whether an owner in it lives. The kernel removes no group with
 * members, and an owner who lives does not miss an empty one.
 */
async function removeIfAbandoned(folders: readonly string[]): Promise<boolean> {
  const isYoung = folders.some((folder) => {
    const madeAtMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    return Date.now() - madeAtMs < emptyGroupMs;
  });
  if (isYoung) return false;
  return (await Promise.all(folders.map(removeFolder))).every(Boolean);
}

/** A group as its folders tell, one in each hierarchy. */
interface FoundGroup {
  readonly owner: GroupOwner;
  readonly folders: readonly string[];
}

/** Machines with many containers have some thousand cgroups; ours are few and near the top. */
const maxFolders = 20_000;
const maxDepth = 12;

/** Looks for groups of any Tutti below these folders: one that died may have stood in another cgroup. */
export function findGroups(roots: readonly string[]): FoundGroup[] {
  const found = new Map<string, { owner: GroupOwner; folders: string[] }>();
  // Nearest first, so that a crowded machine does not hide what stands at the top.
  const pending = roots.map((folder) => ({ folder, depth: 0 }));
  for (const { folder, depth } of pending) {
    for (const name of subfolders(folder)) {
      const path = join(folder, name);
      const owner = ownerOfGroup(name);
      if (owner) {
        const group = found.get(name) ?? { owner, folders: [] };
        group.folders.push(path);
        found.set(name, group);
      } else if (depth < maxDepth && pending.length < maxFolders) {
        pending.push({ folder: path, depth: depth + 1 });
      }
    }
  }
  return [...found.values()];
}

/**
 * Names of groups say who owns them: `tutti-NAMESPACE-PID-START-RANDOM`. Pids mean something in one
 * process namespace only, so a Tutti on the host never judges the groups of one in a container.
 */
const namePattern = /^tutti-(\d+)-(\d+)-(\d+)-[0-9a-f]{12}$/;

interface GroupOwner {
  readonly namespace: string;
  readonly pid: number;
  readonly startedAt: string;
}

export function newGroupName(owner: GroupOwner = thisOwner()): string {
  const random = randomBytes(6).toString('hex');
  return `tutti-${owner.namespace}-${owner.pid}-${owner.startedAt}-${random}`;
}

/** Undefined for what is not a group of ours. */
export function ownerOfGroup(name: string): GroupOwner | undefined {
  const [, namespace, pid, startedAt] = namePattern.exec(name) ?? [];
  if (namespace === undefined || pid === undefined || startedAt === undefined) return undefined;
  return { namespace, pid: Number(pid), startedAt };
}

/** True only when it is certain: an owner that cannot be looked at is taken to live. */
export function isOwnerDead(owner: GroupOwner): boolean {
  if (owner.namespace !== pidNamespace()) return false;
  const stat = readProcessStat(owner.pid);
  if (stat) return stat.isDead || stat.startedAt !== owner.startedAt;
  return !isRunning(owner.pid);
}

let self: GroupOwner | undefined;

function thisOwner(): GroupOwner {
  const startedAt = self?.startedAt ?? readProcessStat(process.pid)?.startedAt ?? '0';
  return (self ??= { namespace: pidNamespace(), pid: process.pid, startedAt });
}

function pidNamespace(): string {
  try {
    // pid:[4026531836]
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '');
  } catch {
    // A system without process namespaces has one space of pids.
    return '0';
  }
}
