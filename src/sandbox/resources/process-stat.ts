import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** What Linux tells about one process in one line. */
export interface ProcessStat {
  readonly pid: number;
  readonly isDead: boolean;
  /** Its first thread has ended while others run on: the kernel then reports much of it as of a dead one. */
  readonly isHeadless: boolean;
  readonly isStopped: boolean;
  /** Uses a processor, or waits for one; of several threads, any may. */
  readonly isBusy: boolean;
  readonly threads: number;
  /** Of the process itself. */
  readonly cpuMs: number;
  /** Of its children that ended and were waited for. */
  readonly childrenCpuMs: number;
  /** Clock ticks since the machine started: tells it from a later process with the same pid. */
  readonly startedAt: string;
}

/** Every Linux that Node runs on tells times to programs in hundredths of a second. */
const tickMs = 10;

/** Undefined when there is no such process, or it may not be looked at. */
export function readProcessStat(pid: number): ProcessStat | undefined {
  const line = readIfThere(`/proc/${pid}/stat`);
  if (line === undefined) return undefined;
  // The name stands in parentheses and may hold anything, parentheses and spaces included.
  const fields = line.slice(line.lastIndexOf(') ') + 2).split(' ');
  const hasEnded = fields[0] === 'Z' || fields[0] === 'X';
  const ticks = (index: number): number => Number(fields[index] ?? 0);
  return {
    pid,
    isDead: hasEnded && ticks(17) <= 1,
    isHeadless: hasEnded && ticks(17) > 1,
    isBusy: !hasEnded && (fields[0] === 'R' || ticks(17) > 1),
    isStopped: fields[0] === 'T' || fields[0] === 't',
    threads: ticks(17),
    cpuMs: (ticks(11) + ticks(12)) * tickMs,
    childrenCpuMs: (ticks(13) + ticks(14)) * tickMs,
    startedAt: fields[19] ?? '',
  };
}

/** The text of a file that may go away at any moment, as those of the kernel do. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

/**
 * A process and everything below it, also the dead that no parent has waited for. Stops after more than
 * `maxProcesses`, which then is what there is to know.
 */
export function findProcessTree(pid: number, maxProcesses: number): ProcessStat[] {
  const found: ProcessStat[] = [];
  const pending = [pid];
  const seen = new Set(pending);
  // Grows while it is walked; each process joins once.
  for (const next of pending) {
    const stat = readProcessStat(next);
    if (stat === undefined) continue;
    found.push(stat);
    if (found.length > maxProcesses) break;
    for (const child of stat.isDead ? [] : childrenOf(next)) {
      if (!seen.has(child)) pending.push(child);
      seen.add(child);
    }
  }
  return found;
}

/** The folder with the files and memory of a process: that of another thread when its first one has ended. */
export function folderOfProcess(pid: number): string {
  const own = `/proc/${pid}`;
  if (readProcessStat(pid)?.isHeadless !== true) return own;
  const thread = namesIn(`${own}/task`).findLast((name) => name !== String(pid));
  return thread === undefined ? own : `${own}/task/${thread}`;
}

/** Children hang on the thread that started them. */
function childrenOf(pid: number): number[] {
  return namesIn(`/proc/${pid}/task`).flatMap((thread) =>
    (readIfThere(`/proc/${pid}/task/${thread}/children`) ?? '')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
}

/** Empty for a process that has ended, or hides its files. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * How long the processes of a program may take to be measured exactly: a program can make its memory so
 * complicated that each takes tens of milliseconds, in which the event loop is blocked.
 */
const exactTimeMs = 25;

export interface ProcessMemory {
  /** All of it: resident, swapped out, and page tables. */
  readonly bytes: number;
  /** The part that is no private memory: page tables and shared memory. */
  readonly commonBytes: number;
}

/** Memory of processes together. What they share counts once, or for each where that takes too long. */
export function memoryOfProcesses(
  pids: readonly number[],
  maxExactMs = exactTimeMs,
): ProcessMemory {
  const until = performance.now() + maxExactMs;
  let bytes = 0;
  let commonBytes = 0;
  for (const pid of pids) {
    const exact = performance.now() < until ? readIfThere(`/proc/${pid}/smaps_rollup`) : undefined;
    const status = statusOf(pid);
    const pageTables = sizeIn(status, 'VmPTE');
    const isExact = exact !== undefined && exact !== '';
    const shared = isExact ? sizeIn(exact, 'Pss_Shmem') : sizeIn(status, 'RssShmem');
    bytes += pageTables;
    bytes += isExact ? sizeIn(exact, 'Pss') : sizeIn(status, 'VmRSS');
    bytes += isExact ? sizeIn(exact, 'SwapPss') : sizeIn(status, 'VmSwap');
    commonBytes += pageTables + shared;
  }
  return { bytes, commonBytes };
}

function sizeIn(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024;
}

/** Threads that are asked for the memory of their process; those that end meanwhile know nothing. */
const maxAskedThreads = 8;

/** A process whose first thread has ended tells nothing itself: another thread is asked. */
function statusOf(pid: number): string {
  const own = readIfThere(`/proc/${pid}/status`) ?? '';
  if (own.includes('\nVmRSS:')) return own;
  for (const thread of namesIn(`/proc/${pid}/task`).slice(-maxAskedThreads)) {
    const status = readIfThere(`/proc/${thread}/status`) ?? '';
    if (status.includes('\nVmRSS:')) return status;
  }
  return own;
}

/**
 * CPU time of processes that come and go, from looks at them. The kernel adds the
 * time of children to a parent that waits for them; the time of children whose end is ignored is lost. Such a child
 * counts as busy from the last look at it until the next: right on average, since one that is seldom
 * there is seldom seen.
 */
export class CpuCount {
  #lastSeen = new Map<string, ProcessStat>();
  #lookedAt = performance.now();
  #untoldMs = 0;
  #totalMs = 0;

  get totalMs(): number {
    return this.#totalMs;
  }

  /** A look at all of them. */
  add(tree: readonly ProcessStat[]): void {
    const now = performance.now();
    const seen = new Map(tree.map((one) => [keyOf(one), one]));
    const gone = [...this.#lastSeen].flatMap(([key, one]) => {
      if (seen.has(key)) return [];
      const still = readProcessStat(one.pid);
      // One that changes its parent during a look is missed by it.
      if (still?.startedAt !== one.startedAt) return [one];
      seen.set(key, still);
      return [];
    });
    this.#countGone(gone, { seen, elapsedMs: now - this.#lookedAt });
    this.#lookedAt = now;
    this.#lastSeen = seen;
    const toldMs = sum([...seen.values()].map(wholeMs));
    this.#totalMs = Math.max(this.#totalMs, toldMs + this.#untoldMs);
  }

  #countGone(
    gone: readonly ProcessStat[],
    { seen, elapsedMs }: { seen: ReadonlyMap<string, ProcessStat>; elapsedMs: number },
  ): void {
    const goneMs = sum(gone.map(wholeMs));
    const toldMs = sum(
      [...seen].map(([key, { childrenCpuMs }]) => {
        return childrenCpuMs - (this.#lastSeen.get(key)?.childrenCpuMs ?? childrenCpuMs);
      }),
    );
    if (toldMs >= Math.max(goneMs, tickMs)) return;
    const busy = gone.filter(({ isBusy }) => isBusy).length;
    this.#untoldMs +=
      Math.max(0, goneMs - toldMs) + elapsedMs * Math.min(busy, availableParallelism());
  }
}

function keyOf({ pid, startedAt }: ProcessStat): string {
  return `${pid} ${startedAt}`;
}

function wholeMs({ cpuMs, childrenCpuMs }: ProcessStat): number {
  return cpuMs + childrenCpuMs;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
