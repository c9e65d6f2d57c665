import { readFileSync } from 'node:fs';

/** What Linux tells about one process in one line. */
export interface ProcessStat {
  readonly pid: number;
  readonly isDead: boolean;
  /** Its first thread has ended while others run on: much that is told about it is told as of a dead one. */
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
export const tickMs = 10;

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
