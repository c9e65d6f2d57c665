import type { Memory } from '../../src/contract/session/index.ts';
import { silentLog, type ProcessIdentity, type Timers } from '../../src/kernel/index.ts';
import { aDirectory } from '../observe/a-directory.ts';
import { createMemory, type MemoryOptions } from '../../src/memory/create-memory.ts';
import { MemoryPreferenceStore } from './memory-preference-store.ts';
import { MemorySessionStore } from './memory-session-store.ts';

/** Time that passes when it is told to. */
export class ManualTimers implements Timers {
  nowMs = Date.UTC(2026, 0, 1);
  readonly #waiting = new Set<{ readonly atMs: number; readonly run: () => void }>();

  now(): number {
    return this.nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const wait = { atMs: this.nowMs + delayMs, run };
    this.#waiting.add(wait);
    return () => this.#waiting.delete(wait);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  pass(ms: number): void {
    this.nowMs += ms;
    for (const wait of this.#waiting) {
      if (wait.atMs <= this.nowMs && this.#waiting.delete(wait)) wait.run();
    }
  }
}

export interface MemoryPlace {
  readonly memory: Memory;
  readonly directory: string;
  readonly timers: ManualTimers;
  /** Processes that are dead. */
  readonly gone: Set<number>;
  /** What another process sees that has the same store and folder. */
  readonly another: () => Memory;
}

/** A memory whose stores live as long as the test, with files that are gone after it. */
export function aMemory(options: Partial<MemoryOptions> = {}): MemoryPlace {
  const timers = new ManualTimers();
  const gone = new Set<number>();
  const isGone = async ({ pid }: ProcessIdentity): Promise<boolean> => gone.has(pid);
  const whole: MemoryOptions = {
    sessions: new MemorySessionStore({ clock: timers, isGone }),
    preferences: new MemoryPreferenceStore(),
    directory: aDirectory(),
    isMirrored: true,
    log: silentLog,
    timers,
    ...options,
  };
  return {
    memory: createMemory(whole),
    directory: whole.directory,
    timers,
    gone,
    another: () => createMemory(whole),
  };
}
