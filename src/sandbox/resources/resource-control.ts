import { existsSync } from 'node:fs';
import type { Holder, SandboxLimits } from '../../contract/sandbox/index.ts';

export type ResourceControlKind = 'cgroup-v2' | 'cgroup-v1' | 'watchdog';

/** The limits that are counted over all processes of a program together. */
export type ResourceProtection = 'memory' | 'pids' | 'cpu-rate' | 'cpu-time';

export type LimitReason = 'memory' | 'pids' | 'cpu';

/** Limits what a program may use together with everything it starts, in the best way this machine has. */
export interface ResourceControl {
  readonly kind: ResourceControlKind;
  holder(protection: ResourceProtection): Holder;
  /** How to have more of them held by the kernel; undefined when nothing is missing. */
  readonly fix?: string | undefined;
  /** A group for one program. Throws when the system refuses it; nothing is left then. */
  open(limits: SandboxLimits): Promise<ResourceGroup>;
  /** Kills and removes the groups of owners that are dead; says how many. A living owner's are not touched. */
  sweep(): Promise<number>;
}

/** One program and everything it starts. */
export interface ResourceGroup {
  /**
   * Files into which a process of one thread writes 0, which stands for itself, to be in the group, before
   * it becomes the program.
   * A write that fails means that the group is being closed: the process must end then.
   */
  readonly joinFiles: readonly string[];
  /**
   * Tells the first process, once it runs, and how to measure files that are memory. Where the kernel
   * counts, that changes nothing.
   */
  follow(pid: number, fileBytes?: () => number): void;
  /** Throws when the program already uses more than it is to get. */
  setLimits(limits: SandboxLimits): Promise<void>;
  /** Calls once, when the first limit is reached; killing is up to the listener. */
  watch(onLimit: (reason: LimitReason) => void): void;
  /** Which limit was reached until now, or until `kill` where that was called. */
  reached(): Promise<LimitReason | null>;
  usage(): Promise<ResourceUsage>;
  /** Kills every process in it. */
  kill(): void;
  /** Kills what is left and removes the group; waits a moment for the dying. Never throws. */
  close(): Promise<void>;
}

export interface ResourceUsage {
  readonly cpuMs: number;
  readonly peakMemoryBytes: number;
}

/** What tells how programs are started on this machine. */
interface HostFacts {
  readonly hasSystemd: boolean;
  readonly isRoot: boolean;
  readonly isContainer: boolean;
}

/** How to start Tutti so that the kernel counts what programs use. */
export function describeFix(facts: HostFacts = thisHost()): string {
  if (facts.isContainer) {
    return 'start the container with a cgroup of its own that it may write: docker run --security-opt writable-cgroups=true … (Docker 28 or newer), podman run --security-opt unmask=/sys/fs/cgroup …';
  }
  if (facts.hasSystemd) {
    const manager = facts.isRoot ? '' : '--user ';
    return `systemd-run ${manager}--scope -p Delegate=yes tutti …`;
  }
  return facts.isRoot
    ? 'mount -t cgroup2 none /sys/fs/cgroup'
    : 'start Tutti as root (it runs programs as another user), or below a cgroup that is yours: chown it to this user and move the shell that starts Tutti into it';
}

/** How a user's own systemd gets the processor controller. */
export const cpuDelegationFix =
  "mkdir -p /etc/systemd/system/user@.service.d && printf '[Service]\\nDelegate=cpu cpuset io memory pids\\n' > /etc/systemd/system/user@.service.d/delegate.conf && systemctl daemon-reload, then log in again";

function thisHost(): HostFacts {
  return {
    hasSystemd: existsSync('/run/systemd/system'),
    isRoot: process.getuid?.() === 0,
    isContainer: ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path)),
  };
}
