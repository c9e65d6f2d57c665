import { readdirSync, statSync } from 'node:fs';
import { readIfThere, readProcessStat } from '../resources/process-stat.ts';
import { findProcessTree } from '../resources/process-tree.ts';

/** Looks that find a lock before a program is ended: tools lock shared files for a moment, to read them. */
const maxLooksWithLock = 10;
/** Processes of a sandbox that are asked which files they have open. */
const maxProcesses = 4_096;
/** A longer chain of parents is none that leads to a sandbox. */
const maxAncestors = 4_096;

/**
 * Notices that processes of a sandbox keep locks on files that it shares with the host, whose programs
 * would wait for them: no right to a file is needed for that but to read it.
 */
export class HostLocks {
  readonly #first: number;
  readonly #ownDevices: ReadonlySet<string>;
  #looksWithLock = 0;

  /** `first` is the sandbox's first process, `ownDevices` are those of its own folders. */
  constructor(first: number, ownDevices: readonly number[]) {
    this.#first = first;
    this.#ownDevices = new Set(ownDevices.map(nameOfDevice));
  }

  look(): boolean {
    if (this.#isHeld()) this.#looksWithLock += 1;
    return this.#looksWithLock >= maxLooksWithLock;
  }

  #isHeld(): boolean {
    return (readIfThere('/proc/locks') ?? '').split('\n').some((line) => {
      const [, pid, device, inode] =
        /(-?\d+) ([0-9a-f]+:[0-9a-f]+):(\d+) \d+ \w+$/.exec(line) ?? [];
      if (pid === undefined || device === undefined || this.#ownDevices.has(device)) return false;
      if (readProcessStat(Number(pid)) !== undefined) return this.#isOurs(Number(pid));
      // Of one that has ended, while others have the file open still.
      return this.#hasOpen(`${device}:${inode}`);
    });
  }

  #isOurs(pid: number): boolean {
    let ancestor = pid;
    for (let step = 0; step < maxAncestors && ancestor > 1; step += 1) {
      if (ancestor === this.#first) return true;
      const status = readIfThere(`/proc/${ancestor}/status`) ?? '';
      ancestor = Number(/^PPid:\t(\d+)$/m.exec(status)?.[1] ?? 0);
    }
    return false;
  }

  #hasOpen(file: string): boolean {
    return findProcessTree(this.#first, maxProcesses).some(({ pid }) => {
      try {
        return readdirSync(`/proc/${pid}/fd`).some(
          (fd) => nameOf(`/proc/${pid}/fd/${fd}`) === file,
        );
      } catch {
        // It has ended, or hides its files: no program is ended on a suspicion.
        return false;
      }
    });
  }
}

function nameOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${nameOfDevice(found.dev)}:${found.ino}`;
}

/** As the kernel writes it: both parts with at least two hexadecimal digits. */
function nameOfDevice(device: number): string {
  const major = (device >>> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
  return [major, minor].map((part) => part.toString(16).padStart(2, '0')).join(':');
}
