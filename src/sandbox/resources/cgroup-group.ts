import { type FSWatcher, watch as watchFile } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxLimits } from '../../contract/sandbox/index.ts';
import { removeFolder } from './cgroup-folder.ts';
import { DutyCycle } from './duty-cycle.ts';
import type { LimitReason, ResourceGroup, ResourceUsage } from './resource-control.ts';

/** The folders of one group and how this version of cgroups is spoken to. */
export interface Cgroup {
  readonly folders: readonly string[];
  readonly joinFiles: readonly string[];
  /** Files whose changes the kernel tells to who watches them; some kernels do not, so they are polled too. */
  readonly eventFiles: readonly string[];
  writeLimits(limits: SandboxLimits): void;
  /** Undefined once the group is gone. */
  read(): CgroupCounts | undefined;
  /** Stops or continues all members; only there when the kernel does not hold them to a rate. */
  readonly setFrozen?: ((isFrozen: boolean) => void) | undefined;
  kill(): void;
}

export interface CgroupCounts extends ResourceUsage {
  readonly oomKills: number;
  readonly refusedForks: number;
}

/** The dying are gone within milliseconds, unless the kernel has gigabytes to give back. */
const removalPausesMs = [0, 1, 2, 4, 8, 16, 32, 64, 128, 250, 500, 1000];

/** A group whose processes the kernel counts. */
export class CgroupGroup implements ResourceGroup {
  readonly joinFiles: readonly string[];
  readonly #cgroup: Cgroup;
  readonly #pollMs: number;
  readonly #onLeft: (cgroup: Cgroup) => void;
  readonly #duty: DutyCycle | undefined;
  #cpuMs: number;
  #counts: CgroupCounts = { oomKills: 0, refusedForks: 0, cpuMs: 0, peakMemoryBytes: 0 };
  /** Set by `kill`: afterwards the kernel counts what killing caused. */
  #isSettled = false;
  #stopWatching: () => void = () => {};

  /** `onLeft` gets a group that could not be removed when it was closed. */
  constructor(
    cgroup: Cgroup,
    limits: SandboxLimits,
    { pollMs, onLeft }: { readonly pollMs: number; readonly onLeft: (cgroup: Cgroup) => void },
  ) {
    this.#cgroup = cgroup;
    this.joinFiles = cgroup.joinFiles;
    this.#pollMs = pollMs;
    this.#onLeft = onLeft;
    this.#cpuMs = limits.cpuMs;
    const { setFrozen } = cgroup;
    this.#duty =
      setFrozen &&
      new DutyCycle(
        {
          usedMs: () => cgroup.read()?.cpuMs ?? this.#counts.cpuMs,
          stop: () => setFrozen(true),
          resume: () => setFrozen(false),
        },
        limits.cpus,
      );
  }

  follow(): void {
    // The kernel knows its members.
  }

  async setLimits(limits: SandboxLimits): Promise<void> {
    this.#cgroup.writeLimits(limits);
    this.#cpuMs = limits.cpuMs;
    this.#duty?.setRate(limits.cpus);
  }

  watch(onLimit: (reason: LimitReason) => void): void {
    this.#stopWatching();
    const look = (): void => {
      const reason = this.#look();
      if (reason === null) return;
      this.#stopWatching();
      onLimit(reason);
    };
    const poll = setInterval(look, this.#pollMs).unref();
    const watchers = this.#cgroup.eventFiles.flatMap((file) => watchEvents(file, look));
    this.#duty?.start();
    this.#stopWatching = () => {
      this.#stopWatching = () => {};
      this.#duty?.end();
      clearInterval(poll);
      for (const watcher of watchers) watcher.close();
    };
  }

  async reached(): Promise<LimitReason | null> {
    return this.#look();
  }

  async usage(): Promise<ResourceUsage> {
    this.#look();
    return { cpuMs: this.#counts.cpuMs, peakMemoryBytes: this.#counts.peakMemoryBytes };
  }

  kill(): void {
    this.#look();
    this.#isSettled = true;
    this.#stopWatching();
    this.#cgroup.kill();
  }

  async close(): Promise<void> {
    this.kill();
    if (!(await removeCgroup(this.#cgroup))) this.#onLeft(this.#cgroup);
  }

  #look(): LimitReason | null {
    const seen = this.#cgroup.read();
    if (seen) {
      const { oomKills, refusedForks } = this.#isSettled ? this.#counts : seen;
      const peakMemoryBytes = Math.max(seen.peakMemoryBytes, this.#counts.peakMemoryBytes);
      this.#counts = { oomKills, refusedForks, cpuMs: seen.cpuMs, peakMemoryBytes };
    }
    if (this.#counts.oomKills > 0) return 'memory';
    if (this.#counts.refusedForks > 0) return 'pids';
    return this.#counts.cpuMs > this.#cpuMs ? 'cpu' : null;
  }
}

/** Removes a group, and kills what is in it where something is; false when it would not go. */
export async function removeCgroup(cgroup: Pick<Cgroup, 'folders' | 'kill'>): Promise<boolean> {
  for (const pauseMs of removalPausesMs) {
    if (pauseMs > 0) cgroup.kill();
    if (pauseMs > 0) await sleep(pauseMs, undefined, { ref: false });
    // All are tried each time: one that is still busy must not keep the others.
    const gone = await Promise.all(cgroup.folders.map(removeFolder));
    if (gone.every(Boolean)) return true;
  }
  return false;
}

function watchEvents(file: string, onChange: () => void): FSWatcher[] {
  try {
    const watcher = watchFile(file, { persistent: false }, onChange);
    // Too many watched files on this machine, or the group is gone: the poll still looks.
    watcher.on('error', () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}
