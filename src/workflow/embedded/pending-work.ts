import { setMaxListeners } from 'node:events';
import type { Json } from '../../contract/plan/index.ts';
import type { RunStatus } from '../../contract/run/index.ts';
import { type FaultPoint, type Timers, reportError } from '../../kernel/index.ts';
import type { ActivityName, ActivityRequest, RunActivity } from '../engine/run-scope.ts';
import type { JournalEntry } from '../engine/run-store.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { ActivityProgress, UnderwayActivity } from './embedded-engine.ts';

interface RunActivitiesParts {
  readonly runId: string;
  readonly callerId: string;
  readonly meta: NonNullable<ActivityRequest['meta']>;
  readonly generationOf: (key: string) => number;
  readonly runActivity: RunActivity;
  readonly commits: CommitQueue;
  readonly timers: Timers;
  readonly faultPoint: FaultPoint;
  readonly recorded: NonNullable<ActivityRequest['recorded']>;
  /** Whether something may begin just now; what may not is held until `beginHeld`. */
  readonly mayBegin: () => boolean;
  readonly onBegin: () => void;
  readonly onSettled: (key: string, value: Json) => void;
  /** It threw although it was not aborted. */
  readonly onBug: (error: unknown) => void;
  /** One ended that had been told to. */
  readonly onStopped: () => void;
  readonly onProgress: (runId: string) => void;
}

interface AskedActivity {
  readonly key: string;
  readonly activity: ActivityName;
  readonly input: Json;
}

interface Underway {
  readonly key: string;
  readonly startedAtMs: number;
  progress: ActivityProgress | undefined;
  isNoted: boolean;
}

/** The activities of one run that were asked for and have not settled. */
export class RunActivities {
  readonly #parts: RunActivitiesParts;
  readonly #abort = new AbortController();
  readonly #underway = new Map<string, Underway>();
  #held: AskedActivity[] = [];

  constructor(parts: RunActivitiesParts) {
    this.#parts = parts;
    // Every activity of the run may listen.
    setMaxListeners(0, this.#abort.signal);
  }

  /** How many are under way. */
  get size(): number {
    return this.#underway.size;
  }

  get isIdle(): boolean {
    return this.#underway.size === 0 && this.#held.length === 0;
  }

  list(): readonly UnderwayActivity[] {
    return [...this.#underway.values()].map(({ key, startedAtMs, progress }) =>
      progress ? { key, startedAtMs, progress } : { key, startedAtMs },
    );
  }

  ask(asked: AskedActivity): void {
    if (this.#parts.mayBegin()) this.#begin(asked);
    else this.#held.push(asked);
  }

  beginHeld(): void {
    const held = this.#held;
    this.#held = [];
    for (const asked of held) this.ask(asked);
  }

  /** Nothing begins any more, and running activities are aborted. */
  stop(reason: () => Error): void {
    this.#held = [];
    // Without listeners an error and an event would cost a short run as much as a step.
    if (this.#underway.size > 0) this.#abort.abort(reason());
  }

  /** Goes on without what is still under way: whatever that comes to is dropped. */
  abandon(): void {
    this.#underway.clear();
  }

  /** Of those that began before this time, the ones not given before. */
  takeLong(beforeMs: number): JournalEntry[] {
    const entries: JournalEntry[] = [];
    for (const underway of this.#underway.values()) {
      // They are in the order of their beginning.
      if (underway.startedAtMs > beforeMs) break;
      if (underway.isNoted) continue;
      underway.isNoted = true;
      entries.push({ kind: 'began', key: underway.key, atMs: underway.startedAtMs });
    }
    return entries;
  }

  #begin(asked: AskedActivity): void {
    const { faultPoint, timers, commits, onBegin } = this.#parts;
    faultPoint('engine.dispatch.before');
    const startedAtMs = timers.now();
    const underway = { key: asked.key, startedAtMs, progress: undefined, isNoted: false };
    this.#underway.set(asked.key, underway);
    commits.began();
    onBegin();
    void this.#perform(asked, underway);
  }

  async #perform({ key, activity, input }: AskedActivity, underway: Underway): Promise<void> {
    const { runId, callerId, meta, generationOf, runActivity, commits, faultPoint } = this.#parts;
    let value: Json | undefined;
    let thrown: unknown;
    try {
      value = await runActivity({
        runId,
        callerId,
        key,
        activity,
        input,
        generation: generationOf(key),
        meta,
        signal: this.#abort.signal,
        recorded: this.#parts.recorded,
        onProgress: (progress) => {
          underway.progress = progress;
          this.#parts.onProgress(runId);
        },
      });
    } catch (error) {
      thrown = error;
    }
    faultPoint('engine.activity.after');
    commits.finished();
    if (!this.#underway.delete(key)) return;
    if (value !== undefined) this.#parts.onSettled(key, value);
    else if (!this.#abort.signal.aborted) this.#parts.onBug(thrown);
    if (this.#abort.signal.aborted) this.#parts.onStopped();
  }
}

/** Timers of the platform cannot be set further ahead. */
const maxDelayMs = 2 ** 31 - 1;

interface Wait {
  /** Undefined for a sleep. */
  readonly signal: string | undefined;
  /** When its time is over; undefined for never. */
  readonly dueMs: number | undefined;
  stopTimer: () => void;
}

interface PendingWaitsParts {
  readonly timers: Timers;
  readonly settle: (key: string, value: Json) => void;
}

/** What one run waits for that is no activity: times and signals. */
export class PendingWaits {
  readonly #parts: PendingWaitsParts;
  readonly #waits = new Map<string, Wait>();
  readonly #keysBySignal = new Map<string, string[]>();
  #sleeps = 0;

  constructor(parts: PendingWaitsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#waits.size;
  }

  /** How many of them wait for nothing but time. */
  get sleeps(): number {
    return this.#sleeps;
  }

  /** The first time something is over; null when nothing ever is by itself. */
  get nextDueMs(): number | null {
    let first: number | null = null;
    for (const { dueMs } of this.#waits.values()) {
      if (dueMs !== undefined && (first === null || dueMs < first)) first = dueMs;
    }
    return first;
  }

  sleep(key: string, dueMs: number): void {
    this.#sleeps += 1;
    this.#add(key, { signal: undefined, dueMs, stopTimer: () => {} });
  }

  waitFor(key: string, signal: string, dueMs: number | undefined): void {
    const keys = this.#keysBySignal.get(signal);
    if (keys) keys.push(key);
    else this.#keysBySignal.set(signal, [key]);
    this.#add(key, { signal, dueMs, stopTimer: () => {} });
  }

  /** A signal is there: everything that waits for it gets it. */
  deliver(signal: string, payload: Json): void {
    const keys = this.#keysBySignal.get(signal) ?? [];
    this.#keysBySignal.delete(signal);
    for (const key of keys) if (this.#remove(key)) this.#parts.settle(key, { payload });
  }

  /** Stops all timers; nothing settles any more. */
  clear(): void {
    for (const wait of this.#waits.values()) wait.stopTimer();
    this.#waits.clear();
    this.#keysBySignal.clear();
    this.#sleeps = 0;
  }

  #add(key: string, wait: Wait): void {
    this.#waits.set(key, wait);
    this.#setTimer(key, wait);
  }

  #setTimer(key: string, wait: Wait): void {
    if (wait.dueMs === undefined) return;
    const { timers } = this.#parts;
    const leftMs = Math.max(0, wait.dueMs - timers.now());
    wait.stopTimer = timers.after(Math.min(leftMs, maxDelayMs), () => {
      // Timers fire early at times, and long ones in parts.
      if (wait.dueMs !== undefined && timers.now() < wait.dueMs) this.#setTimer(key, wait);
      else this.#onDue(key, wait);
    });
  }

  #onDue(key: string, wait: Wait): void {
    if (!this.#remove(key)) return;
    this.#parts.settle(key, wait.signal === undefined ? null : { timedOut: true });
  }

  #remove(key: string): boolean {
    const wait = this.#waits.get(key);
    if (!wait) return false;
    wait.stopTimer();
    if (wait.signal === undefined) this.#sleeps -= 1;
    return this.#waits.delete(key);
  }
}

/** What an end is recorded as. */
export interface FinalEnd {
  readonly status: RunStatus;
  readonly outcome: Json;
}

/** The end of a run that the engine itself lets fail. */
export function failure(error: unknown): FinalEnd {
  const { code, message, details } = reportError(error);
  // Details are plain JSON, as `AppError` says.
  const report = { code, message, details: details as Readonly<Record<string, Json>> };
  return { status: 'failed', outcome: { kind: 'failed', step: null, error: { ...report } } };
}
