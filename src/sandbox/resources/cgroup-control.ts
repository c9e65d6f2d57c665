import { statSync } from 'node:fs';
import type { Holder, SandboxLimits } from '../../contract/sandbox/index.ts';
import { killGroup, removeFolder } from './cgroup-folder.ts';
import { CgroupGroup, removeCgroup, type Cgroup } from './cgroup-group.ts';
import { findGroups } from './find-groups.ts';
import { isOwnerDead, newGroupName } from './group-name.ts';
import { PollLoop } from './poll-loop.ts';
import type {
  ResourceControl,
  ResourceControlKind,
  ResourceGroup,
  ResourceProtection,
} from './resource-control.ts';

export interface CgroupControlOptions {
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
  readonly #loop = new PollLoop(pollIntervalMs);
  /** Closed groups whose dead would not go; tried again when there is an occasion. */
  readonly #left = new Set<Cgroup>();

  constructor(options: CgroupControlOptions) {
    this.#options = options;
    this.kind = options.kind;
    this.fix = options.fix;
  }

  holder(protection: ResourceProtection): Holder {
    // Its kernel counts CPU time and does not end anybody for it: that is done here.
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
      loop: this.#loop,
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
 * Removes a group that has long had no member, whoever owns it: the death of a process namespace ends all
 * its processes, and nobody else can tell whether an owner in it lives. The kernel removes no group with
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
