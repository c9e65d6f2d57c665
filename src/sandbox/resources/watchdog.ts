import type { Holder, SandboxLimits } from '../../contract/sandbox/index.ts';
import { killProcess } from './cgroup-folder.ts';
import { PollLoop } from './poll-loop.ts';
import { memoryOfPrivateFiles, memoryOfProcesses, ownTemporaryDevices } from './process-memory.ts';
import { readProcessStat, type ProcessStat } from './process-stat.ts';
import { findProcessTree } from './process-tree.ts';
import type {
  LimitReason,
  ResourceControl,
  ResourceGroup,
  ResourceProtection,
  ResourceUsage,
} from './resource-control.ts';

const pollIntervalMs = 50;

/**
 * Looks at the processes of a program again and again, for machines whose kernel does not count for us.
 * What is over between two looks is missed: the kernel's own limits are better wherever they are to be had.
 */
export class WatchdogControl implements ResourceControl {
  readonly kind = 'watchdog';
  readonly fix: string;
  readonly #loop = new PollLoop(pollIntervalMs);

  constructor(fix: string) {
    this.fix = fix;
  }

  holder(protection: ResourceProtection): Holder {
    // Elsewhere there is nothing that could be looked at as often as that.
    const isSeen = process.platform === 'linux';
    return protection === 'cpu-rate' || !isSeen ? 'none' : 'supervisor';
  }

  async open(limits: SandboxLimits): Promise<ResourceGroup> {
    return new WatchedGroup(limits, this.#loop);
  }

  async sweep(): Promise<number> {
    // Leaves nothing anywhere: its programs die with the one who follows them.
    return 0;
  }
}

/** Passes over a tree that grows while it is killed. */
const maxKillPasses = 10;
/** Of a tree that is to be killed, whatever its limit was. */
const maxKilledProcesses = 100_000;

class WatchedGroup implements ResourceGroup {
  readonly joinFiles: readonly string[] = [];
  readonly #loop: PollLoop;
  readonly #ownDevices = ownTemporaryDevices();
  readonly #lastSeen = new Map<string, ProcessStat>();
  #limits: SandboxLimits;
  #root: ProcessStat | undefined;
  /** CPU time of processes that have been seen and are gone. */
  #goneCpuMs = 0;
  #cpuMs = 0;
  #peakMemoryBytes = 0;
  #reached: LimitReason | null = null;
  #isSettled = false;
  #stopWatching: () => void = () => {};

  constructor(limits: SandboxLimits, loop: PollLoop) {
    this.#limits = limits;
    this.#loop = loop;
  }

  follow(pid: number): void {
    this.#root = readProcessStat(pid);
    this.#look();
  }

  async setLimits(limits: SandboxLimits): Promise<void> {
    this.#limits = limits;
  }

  watch(onLimit: (reason: LimitReason) => void): void {
    this.#stopWatching();
    const remove = this.#loop.add(() => {
      this.#look();
      if (this.#reached === null) return;
      this.#stopWatching();
      onLimit(this.#reached);
    });
    this.#stopWatching = remove;
  }

  async reached(): Promise<LimitReason | null> {
    this.#look();
    return this.#reached;
  }

  async usage(): Promise<ResourceUsage> {
    this.#look();
    return { cpuMs: this.#cpuMs, peakMemoryBytes: this.#peakMemoryBytes };
  }

  kill(): void {
    this.#look();
    this.#isSettled = true;
    this.#stopWatching();
    const killed = new Set<number>();
    for (let pass = 0; pass < maxKillPasses; pass += 1) {
      const fresh = this.#tree(maxKilledProcesses).filter((one) => !killed.has(one.pid));
      if (fresh.length === 0) return;
      for (const { pid } of fresh) {
        killed.add(pid);
        killProcess(pid);
      }
    }
  }

  async close(): Promise<void> {
    this.kill();
  }

  /** Empty once the followed process is gone, even when another got its pid. */
  #tree(maxProcesses: number): ProcessStat[] {
    const root = this.#root;
    if (root === undefined) return [];
    if (readProcessStat(root.pid)?.startedAt !== root.startedAt) return [];
    return findProcessTree(root.pid, maxProcesses);
  }

  #look(): void {
    const tree = this.#tree(this.#limits.pids);
    if (this.#isSettled || tree.length === 0) return;
    this.#countCpu(tree);
    const threads = tree.reduce((sum, one) => sum + one.threads, 0);
    const memoryBytes = this.#memoryOf(tree);
    this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, memoryBytes);
    if (this.#reached !== null) return;
    if (memoryBytes > this.#limits.memoryBytes) this.#reached = 'memory';
    else if (threads > this.#limits.pids) this.#reached = 'pids';
    else if (this.#cpuMs > this.#limits.cpuMs) this.#reached = 'cpu';
  }

  /** Files count once, as seen by the newest process: it is the surest to be inside the sandbox. */
  #memoryOf(tree: readonly ProcessStat[]): number {
    const newest = tree.at(-1);
    const files = newest ? memoryOfPrivateFiles(newest.pid, this.#ownDevices) : 0;
    return files + memoryOfProcesses(tree.map(({ pid }) => pid));
  }

  /**
   * Two ways, and the higher of them: what was seen of each process misses what ran between two looks;
   * what parents were told misses children that nobody waited for.
   */
  #countCpu(tree: readonly ProcessStat[]): void {
    const living = new Map(tree.map((one) => [`${one.pid} ${one.startedAt}`, one]));
    for (const [key, stat] of this.#lastSeen) {
      if (living.has(key)) continue;
      this.#goneCpuMs += stat.cpuMs;
      this.#lastSeen.delete(key);
    }
    let seenMs = this.#goneCpuMs;
    let toldMs = 0;
    for (const [key, stat] of living) {
      this.#lastSeen.set(key, stat);
      seenMs += stat.cpuMs;
      toldMs += stat.cpuMs + stat.childrenCpuMs;
    }
    this.#cpuMs = Math.max(this.#cpuMs, seenMs, toldMs);
  }
}
