import { availableParallelism } from 'node:os';
import { readProcessStat, tickMs, type ProcessStat } from './process-stat.ts';

/**
 * CPU time of processes that come and go, from looks at them. A parent that waits for its children is told
 * their time by the kernel; the time of children whose end is ignored is told to nobody. Such a child
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
