import { closeSync, openSync, readdirSync, readSync, statfsSync } from 'node:fs';
import { folderOfProcess, type ProcessMemory, readIfThere } from './process-stat.ts';

/** A program whose memory is to be known. */
export interface MemoryHolder {
  /** What its processes and files show. */
  measure(): ProcessMemory;
  /** The most that the kernel can hold for it besides. */
  hiddenCapacity(): number;
}

const mebibyte = 1024 * 1024;
/** What the machine loses and gains all the time without any program of ours. */
const noiseBytes = 64 * mebibyte;
/** What the kernel needs for one more sandbox, at most. */
const noisePerProgramBytes = 16 * mebibyte;
/** How long the memory of a program that has ended may take to be given back. */
const lingerMs = 500;
/** Between two judgements of a program that turned out not to be the cause: they take milliseconds. */
const judgementPauseMs = 200;
/** Longer than the pause between two looks at any program. */
const recentMs = 250;

interface Entry {
  /** The least that the machine held, and no program of ours showed, since it started. */
  baseBytes: number;
  /** The most of it in the last while: what others showed may be out of date for a moment. */
  recentBytes: number;
  recentUntil: number;
  memory: ProcessMemory;
  judgedAt: number;
}

/**
 * Finds memory that programs have the kernel hold and that shows in none of their processes: what the
 * machine as a whole has lost since a program started, less what all our programs show. It is charged to
 * the program that can hold most of it, and to none that cannot.
 */
export class MemoryLedger {
  readonly #read: () => number | undefined;
  readonly #entries = new Map<MemoryHolder, Entry>();
  /** Programs whose memory is being given back. */
  readonly #ended = new Map<
    MemoryHolder,
    Pick<Entry, 'baseBytes'> & { readonly limitBytes: number }
  >();

  constructor(read: () => number | undefined = readMachine) {
    this.#read = read;
  }

  /** Whether this machine tells what is needed. */
  get isTold(): boolean {
    return this.#read() !== undefined;
  }

  open(holder: MemoryHolder): void {
    this.#refresh();
    const memory = holder.measure();
    const baseBytes = this.#unshownBytes() - memory.commonBytes;
    const recent = { recentBytes: -Infinity, recentUntil: performance.now() + recentMs };
    this.#entries.set(holder, { baseBytes, ...recent, memory, judgedAt: -Infinity });
  }

  /** From its end on, what it showed and `leftBytes` that it may hide besides are not charged to others. */
  end(holder: MemoryHolder, leftBytes: number): void {
    const entry = this.#entries.get(holder);
    const limitBytes = Math.max(leftBytes, entry?.memory.commonBytes ?? 0);
    if (entry) this.#ended.set(holder, { baseBytes: entry.baseBytes, limitBytes });
    this.#entries.delete(holder);
  }

  /** When it is gone. */
  close(holder: MemoryHolder): void {
    setTimeout(() => this.#ended.delete(holder), lingerMs).unref();
  }

  /** Memory of a program that shows this much, with what is hidden if that takes it over its limit. */
  add(holder: MemoryHolder, memory: ProcessMemory, limitBytes: number): number {
    const entry = this.#entries.get(holder);
    if (entry === undefined) return memory.bytes;
    entry.memory = memory;
    if (memory.bytes > limitBytes) return memory.bytes;
    const unshownBytes = this.#unshownBytes();
    lowerBase(entry, unshownBytes);
    if (memory.bytes + this.#hiddenBytes(entry, unshownBytes) <= limitBytes) return memory.bytes;
    if (performance.now() < entry.judgedAt + judgementPauseMs) return memory.bytes;
    // What others showed a moment ago may be out of date.
    this.#refresh();
    const hiddenBytes = this.#hiddenBytes(entry, this.#unshownBytes());
    const isCause = this.#isCause(holder, hiddenBytes);
    entry.judgedAt = performance.now();
    return memory.bytes + (isCause ? hiddenBytes : 0);
  }

  #hiddenBytes({ baseBytes }: Entry, unshownBytes: number): number {
    const lost = unshownBytes - this.#endedBytes(unshownBytes) - baseBytes;
    return lost > noiseBytes + noisePerProgramBytes * this.#entries.size ? lost : 0;
  }

  /** The most that programs left behind that ended: no more than their limits, nor than was lost since the first started. */
  #endedBytes(unshownBytes: number): number {
    const ended = [...this.#ended.values()];
    const limits = ended.reduce((sum, { limitBytes }) => sum + limitBytes, 0);
    const base = Math.min(unshownBytes, ...ended.map(({ baseBytes }) => baseBytes));
    return Math.min(limits, unshownBytes - base);
  }

  #unshownBytes(): number {
    const shown = this.#entries.values().reduce((sum, { memory }) => sum + memory.commonBytes, 0);
    return (this.#read() ?? 0) - shown;
  }

  #isCause(holder: MemoryHolder, hiddenBytes: number): boolean {
    const own = holder.hiddenCapacity();
    if (own < hiddenBytes) return false;
    return this.#entries.keys().every((other) => other === holder || other.hiddenCapacity() <= own);
  }

  #refresh(): void {
    for (const [holder, entry] of this.#entries) entry.memory = holder.measure();
  }
}

/** Memory that was given back since a program started is not that program's to take. */
function lowerBase(entry: Entry, unshownBytes: number): void {
  entry.recentBytes = Math.max(entry.recentBytes, unshownBytes);
  if (performance.now() < entry.recentUntil) return;
  entry.baseBytes = Math.min(entry.baseBytes, entry.recentBytes);
  entry.recentBytes = -Infinity;
  entry.recentUntil = performance.now() + recentMs;
}

function readMachine(): number | undefined {
  const bytes = unattributedMemory();
  return bytes === undefined ? undefined : bytes - visibleTemporaryFiles();
}

/**
 * Bytes of the machine that are neither free nor reclaimable nor private memory of a process nor files of
 * ours: what the kernel holds for programs (buffers of sockets and pipes, page tables, mappings) and shared
 * memory. The kernel reports none of it per process. Undefined where this machine does not report it.
 */
export function unattributedMemory(text = readIfThere('/proc/meminfo') ?? ''): number | undefined {
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)?.[1] ?? Number.NaN) * 1024;
  const cached = bytes('Cached') - bytes('Shmem') + bytes('Buffers') + bytes('SwapCached');
  const reclaimable = cached + bytes('SReclaimable');
  const held = bytes('MemTotal') - bytes('MemFree') - reclaimable - bytes('AnonPages');
  return Number.isNaN(held) ? undefined : held;
}

/** Bytes of files in the temporary file systems that this process sees: other programs fill them. */
export function visibleTemporaryFiles(): number {
  const mounts = (readIfThere('/proc/self/mountinfo') ?? '').split('\n').flatMap((line) => {
    const [, , device = '', , mountPoint = ''] = line.split(' ');
    return line.includes(' - tmpfs ') ? [[device, mountPoint] as const] : [];
  });
  return [...new Map(mounts).values()].reduce((sum, mountPoint) => sum + usedBytes(mountPoint), 0);
}

function usedBytes(path: string): number {
  try {
    const { blocks, bfree, bsize } = statfsSync(path);
    return (blocks - bfree) * bsize;
  } catch {
    // Not ours to look at.
    return 0;
  }
}

/** Both buffers of a TCP connection, as large as they get. */
const bytesPerSocket = 40 * mebibyte;
/** A pipe. */
const bytesPerDescriptor = mebibyte;
const bytesPerMapping = 1024;
/** Of the list of mappings, which takes as long to read as it is. */
const maxMapsBytes = 256 * 1024;
/** Processes that are looked at; the others are taken to be like them. */
const maxProcesses = 64;

/**
 * The most that the kernel can hold for the processes of one sandbox beside what they show. Infinite for
 * one that maps shared memory, of which a single mapped page keeps all, or hides what it has.
 */
export function hiddenCapacity(pids: readonly number[]): number {
  const [first] = pids;
  if (first === undefined) return 0;
  const sockets = /^sockets: used (\d+)$/m.exec(
    readIfThere(`${folderOfProcess(first)}/net/sockstat`) ?? '',
  )?.[1];
  if (sockets === undefined) return Infinity;
  const looked = pids.slice(-maxProcesses);
  const own = looked.reduce((sum, pid) => sum + capacityOfProcess(pid), 0);
  return Number(sockets) * bytesPerSocket + (own * pids.length) / looked.length;
}

function capacityOfProcess(pid: number): number {
  try {
    const folder = folderOfProcess(pid);
    const maps = readStart(`${folder}/maps`);
    if (maps.length === maxMapsBytes || maps.includes('/dev/zero (deleted)')) return Infinity;
    const descriptors = readdirSync(`${folder}/fd`).length;
    return descriptors * bytesPerDescriptor + maps.split('\n').length * bytesPerMapping;
  } catch (error) {
    const isHidden = error instanceof Error && 'code' in error && error.code === 'EACCES';
    // Otherwise it has ended.
    return isHidden ? Infinity : 0;
  }
}

function readStart(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(maxMapsBytes);
    let length = 0;
    // The kernel gives a page at a time.
    for (let count = -1; count !== 0 && length < maxMapsBytes; length += count) {
      count = readSync(file, bytes, length, maxMapsBytes - length, null);
    }
    return bytes.toString('latin1', 0, length);
  } finally {
    closeSync(file);
  }
}
