import { unattributedMemory, visibleTemporaryFiles } from './machine-memory.ts';
import type { ProcessMemory } from './process-memory.ts';

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
  /** Programs whose memory is being given back, with their limits. */
  readonly #ended = new Map<MemoryHolder, number>();

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

  /** From its end on, all that it might have had is not charged to others. */
  end(holder: MemoryHolder, limitBytes: number): void {
    if (this.#entries.delete(holder)) this.#ended.set(holder, limitBytes);
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
    const ended = this.#ended.values().reduce((sum, limitBytes) => sum + limitBytes, 0);
    const lost = unshownBytes - ended - baseBytes;
    return lost > noiseBytes + noisePerProgramBytes * this.#entries.size ? lost : 0;
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
