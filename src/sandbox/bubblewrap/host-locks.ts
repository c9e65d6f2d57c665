import { readFile } from 'node:fs/promises';
import {
  findProcessTree,
  folderOfProcess,
  namesIn,
  readIfThere,
  readProcessStat,
} from '../resources/process-stat.ts';

/** How long locks are kept before a program is ended: tools lock shared files for a moment, to read them. */
const maxHeldMs = 1_000;
/** What one look that finds a lock counts at most: on a busy machine the last one may be long ago. */
const longestStepMs = 300;
/** Processes of a sandbox that are asked which files they keep. */
const maxProcesses = 4_096;
/** A longer chain of parents is none that leads to a sandbox. */
const maxAncestors = 4_096;
/** Descriptions of open files and mappings that one look reads: a program may have millions. */
const maxCharactersPerLook = 500_000;

/** A lock as /proc/locks lists it. Its process may have ended while others keep the file. */
interface Lock {
  readonly pid: number;
  readonly device: string;
  readonly inode: string;
}

/**
 * The locks of this machine. To list them the kernel waits until no processor is about to lock a file, ten
 * milliseconds or more: a thread waits for that, and who asks meanwhile gets the same list.
 */
export class LockTable {
  #reading: Promise<readonly Lock[]> | undefined;

  read(): Promise<readonly Lock[]> {
    this.#reading ??= readLocks().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }
}

async function readLocks(): Promise<readonly Lock[]> {
  const text = await readFile('/proc/locks', 'latin1').catch(() => '');
  const lines = text.matchAll(/ (-?\d+) ([0-9a-f]+:[0-9a-f]+):(\d+) \d+ \w+$/gm);
  return [...lines].map(([, pid, device = '', inode = '']) => ({
    pid: Number(pid),
    device,
    inode,
  }));
}

/**
 * Notices that processes of a sandbox keep locks on files that it shares with the host, whose programs
 * would wait for them: no right to a file is needed for that but to read it.
 */
export class HostLocks {
  readonly #first: number;
  readonly #ownDevices: ReadonlySet<string>;
  readonly #atStart: ReadonlySet<string>;
  #heldMs = 0;
  #lookedAt = performance.now();
  #lastList: readonly Lock[] = [];
  /** The process that kept a lock at the last look is examined first. */
  #lastKeeper = 0;

  /**
   * `first` is the sandbox's first process, `ownDevices` are those of its own folders, `atStart` the locks
   * from before the program runs, of which none is the program's.
   */
  constructor(first: number, ownDevices: readonly number[], atStart: readonly Lock[]) {
    this.#first = first;
    this.#ownDevices = new Set(ownDevices.map(nameOfDevice));
    this.#atStart = new Set(atStart.map(nameOfLock));
  }

  /** Whether locks were kept for too long, all looks together. The same list again says nothing new. */
  look(locks: readonly Lock[], now = performance.now()): boolean {
    if (locks === this.#lastList) return false;
    if (this.#isHeld(locks)) this.#heldMs += Math.min(now - this.#lookedAt, longestStepMs);
    this.#lastList = locks;
    this.#lookedAt = now;
    return this.#heldMs >= maxHeldMs;
  }

  #isHeld(locks: readonly Lock[]): boolean {
    const others = locks.filter(({ device }) => !this.#ownDevices.has(device));
    if (others.some(({ pid }) => this.#isOurs(pid))) return true;
    const ofTheDead = others.filter(
      (lock) => !this.#atStart.has(nameOfLock(lock)) && readProcessStat(lock.pid) === undefined,
    );
    return ofTheDead.length > 0 && this.#keepsOneOf(ofTheDead);
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

  /** In an order that no program can foresee, because not all may be read in one look. */
  #keepsOneOf(locks: readonly Lock[]): boolean {
    const order = findProcessTree(this.#first, maxProcesses)
      .map(({ pid }) => ({ pid, at: pid === this.#lastKeeper ? -1 : Math.random() }))
      .toSorted((one, other) => one.at - other.at);
    let left = maxCharactersPerLook;
    const read = (path: string): string => {
      const text = left > 0 ? (readIfThere(path) ?? '') : '';
      left -= text.length;
      return text;
    };
    const keeper = order.find(({ pid }) => left > 0 && keeps(pid, locks, read));
    this.#lastKeeper = keeper?.pid ?? 0;
    return keeper !== undefined;
  }
}

function nameOfLock({ pid, device, inode }: Lock): string {
  return `${pid} ${device}:${inode}`;
}

/**
 * Whether a process keeps one of these locks alive: by an open file, whose description names the lock, by
 * a mapping of the file, or by files that it sent and that were not received, which cannot be looked at.
 * The kernel reports these even of processes that hide their files.
 */
function keeps(pid: number, locks: readonly Lock[], read: (path: string) => string): boolean {
  const folder = folderOfProcess(pid);
  // One that hides its files has none here: no program is ended on a suspicion.
  const hasOpen = namesIn(`${folder}/fdinfo`).some((file) => {
    const description = read(`${folder}/fdinfo/${file}`);
    if (/^scm_fds:\s*[1-9]/m.test(description)) return true;
    if (!description.includes('\nlock:')) return false;
    return locks.some(({ device, inode }) => description.includes(` ${device}:${inode} `));
  });
  if (hasOpen) return true;
  const maps = read(`${folder}/maps`);
  return locks.some(({ device, inode }) => maps.includes(` ${device} ${inode} `));
}

/** As the kernel writes it: both parts with at least two hexadecimal digits. */
function nameOfDevice(device: number): string {
  const major = (device >>> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
  return [major, minor].map((part) => part.toString(16).padStart(2, '0')).join(':');
}
