import type { Holder, SandboxLimits } from '../../contract/sandbox/index.ts';
import { killProcess } from './cgroup-folder.ts';
import { DutyCycle } from './duty-cycle.ts';
import {
  CpuCount,
  findProcessTree,
  memoryOfProcesses,
  type ProcessMemory,
  type ProcessStat,
  readIfThere,
  readProcessStat,
} from './process-stat.ts';
import { hiddenCapacity, type MemoryHolder, MemoryLedger } from './memory-ledger.ts';
import type {
  LimitReason,
  ResourceControl,
  ResourceGroup,
  ResourceProtection,
  ResourceUsage,
} from './resource-control.ts';

/** Between two looks at a program that is far from its limits. */
const longestPauseMs = 50;
/** At one that could have used up its memory before that. */
const shortestPauseMs = 5;
/** As fast as programs fill memory on common machines. */
const filledBytesPerMs = 8 * 1024 * 1024;

/**
 * Looks at the processes of a program again and again, for machines whose kernel does not count for us.
 * What is over between two looks is missed: the kernel's own limits are better wherever they are to be had.
 */
export class WatchdogControl implements ResourceControl {
  readonly kind = 'watchdog';
  readonly fix: string;
  readonly #ledger = new MemoryLedger();

  constructor(fix: string) {
    this.fix = fix;
  }

  holder(protection: ResourceProtection): Holder {
    // Elsewhere there is nothing that could be looked at as often as that.
    if (process.platform !== 'linux') return 'none';
    return protection === 'memory' && !this.#ledger.isTold ? 'none' : 'supervisor';
  }

  async open(limits: SandboxLimits): Promise<ResourceGroup> {
    return new WatchedGroup(limits, this.#ledger);
  }

  async sweep(): Promise<number> {
    // Leaves nothing anywhere: its programs die with the one who follows them.
    return 0;
  }
}

/** Whose CPU time is still counted when a program is killed; what others used was counted before. */
const maxProcessesBeforeKill = 8;
/** Passes over a tree that grows while it is killed. */
const maxKillPasses = 10;
/** Of a tree that is to be killed, whatever its limit was. */
const maxKilledProcesses = 100_000;
/** Passes over a tree that grows while it is stopped; who escapes is found by the next look. */
const maxStopPasses = 3;

class WatchedGroup implements ResourceGroup, MemoryHolder {
  readonly joinFiles: readonly string[] = [];
  readonly #cpu = new CpuCount();
  readonly #ledger: MemoryLedger;
  readonly #duty: DutyCycle;
  /** Stopped by us, and not by the program itself. */
  readonly #stopped = new Map<number, ProcessStat>();
  #limits: SandboxLimits;
  #root: ProcessStat | undefined;
  #fileBytes: () => number = () => 0;
  #memoryBytes = 0;
  #peakMemoryBytes = 0;
  #reached: LimitReason | null = null;
  #isSettled = false;
  #stopWatching: () => void = () => {};

  constructor(limits: SandboxLimits, ledger: MemoryLedger) {
    this.#limits = limits;
    this.#ledger = ledger;
    this.#duty = new DutyCycle(
      {
        usedMs: () => this.#lookAtCpu(),
        stop: () => this.#stop(),
        resume: () => this.#resume(),
      },
      limits.cpus,
    );
  }

  follow(pid: number, fileBytes: () => number = () => 0): void {
    this.#root = readProcessStat(pid);
    this.#fileBytes = fileBytes;
    this.#look();
  }

  async setLimits(limits: SandboxLimits): Promise<void> {
    this.#limits = limits;
    this.#duty.setRate(limits.cpus);
  }

  watch(onLimit: (reason: LimitReason) => void): void {
    this.#stopWatching();
    this.#ledger.open(this);
    const look = (): void => {
      const startedAt = performance.now();
      this.#look();
      if (this.#reached === null) {
        // At least as long as a look takes, so that half of our time is left for others.
        timer = later(look, Math.max(this.#pauseMs(), performance.now() - startedAt));
        return;
      }
      this.#stopWatching();
      onLimit(this.#reached);
    };
    let timer = later(look, this.#pauseMs());
    this.#duty.start();
    this.#stopWatching = () => {
      clearTimeout(timer);
      this.#duty.end();
    };
  }

  async reached(): Promise<LimitReason | null> {
    this.#look();
    return this.#reached;
  }

  async usage(): Promise<ResourceUsage> {
    this.#look();
    return { cpuMs: this.#cpu.totalMs, peakMemoryBytes: this.#peakMemoryBytes };
  }

  /** At once: looking at everything first would take as long as there are processes. */
  kill(): void {
    if (!this.#isSettled) this.#lookAtCpu(maxProcessesBeforeKill);
    this.#isSettled = true;
    this.#stopWatching();
    const root = this.#root;
    // A program that ended by itself has closed all that the kernel held for it.
    const isAlive = root !== undefined && readProcessStat(root.pid)?.startedAt === root.startedAt;
    this.#ledger.end(this, isAlive ? this.#limits.memoryBytes : 0);
    // All processes of its namespace die with it, and none can be added.
    if (root && isFirstOfNamespace(root)) return killProcess(root.pid);
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
    this.#ledger.close(this);
  }

  measure(): ProcessMemory {
    return this.#memoryOf(this.#tree(this.#limits.pids));
  }

  hiddenCapacity(): number {
    const living = this.#tree(this.#limits.pids).filter(({ isDead }) => !isDead);
    return hiddenCapacity(living.map(({ pid }) => pid));
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
    this.#countCpu(tree, this.#limits.pids);
    const threads = tree.reduce((sum, one) => sum + one.threads, 0);
    const shown = this.#memoryOf(tree);
    const memoryBytes = this.#ledger.add(this, shown, this.#limits.memoryBytes);
    this.#memoryBytes = memoryBytes;
    this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, memoryBytes);
    if (this.#reached !== null) return;
    // Their number is exact; memory of many processes is estimated and counts what they share for each.
    if (threads > this.#limits.pids) this.#reached = 'pids';
    else if (memoryBytes > this.#limits.memoryBytes) this.#reached = 'memory';
    else if (this.#cpu.totalMs > this.#limits.cpuMs) this.#reached = 'cpu';
  }

  #pauseMs(): number {
    const lastsMs = (this.#limits.memoryBytes - this.#memoryBytes) / filledBytesPerMs;
    return Math.min(longestPauseMs, Math.max(shortestPauseMs, lastsMs));
  }

  /** The part of a look that is cheap enough to be taken often. */
  #lookAtCpu(maxProcesses = this.#limits.pids): number {
    const tree = this.#tree(maxProcesses);
    if (!this.#isSettled && tree.length > 0) this.#countCpu(tree, maxProcesses);
    return this.#cpu.totalMs;
  }

  #stop(): void {
    const signalled = new Set<number>();
    for (let pass = 0; pass < maxStopPasses; pass += 1) {
      const fresh = this.#tree(this.#limits.pids).filter(
        (one) => !one.isStopped && !one.isDead && !signalled.has(one.pid),
      );
      if (fresh.length === 0) return;
      for (const one of fresh) {
        signalled.add(one.pid);
        this.#stopped.set(one.pid, one);
        signal(one, 'SIGSTOP');
      }
    }
  }

  #resume(): void {
    for (const one of this.#stopped.values()) signal(one, 'SIGCONT');
    this.#stopped.clear();
  }

  #memoryOf(tree: readonly ProcessStat[]): ProcessMemory {
    const living = tree.filter(({ isDead }) => !isDead).map(({ pid }) => pid);
    const { bytes, commonBytes } = memoryOfProcesses(living);
    const fileBytes = this.#fileBytes();
    return { bytes: bytes + fileBytes, commonBytes: commonBytes + fileBytes };
  }

  /** A tree that was not read to its end says nothing about those that are missing. */
  #countCpu(tree: readonly ProcessStat[], maxProcesses: number): void {
    if (tree.length <= maxProcesses) this.#cpu.add(tree);
  }
}

/** Never keeps this process alive. */
function later(work: () => void, pauseMs: number): NodeJS.Timeout {
  return setTimeout(work, pauseMs).unref();
}

/** Whether it still is who it was, and the first process of a namespace of its own. */
function isFirstOfNamespace({ pid, startedAt }: ProcessStat): boolean {
  const status = readIfThere(`/proc/${pid}/status`) ?? '';
  // One number for each namespace it is in, ours first.
  const isFirst = /^NSpid:\t\d+\t(?:\d+\t)*1$/m.test(status);
  return isFirst && readProcessStat(pid)?.startedAt === startedAt;
}

/** Unless it is gone and another has its pid. */
function signal(one: ProcessStat, name: 'SIGSTOP' | 'SIGCONT'): void {
  if (readProcessStat(one.pid)?.startedAt !== one.startedAt) return;
  try {
    process.kill(one.pid, name);
  } catch {
    // Gone since.
  }
}
