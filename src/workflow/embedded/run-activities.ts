import { setMaxListeners } from 'node:events';
import type { Json } from '../../contract/plan/index.ts';
import type { FaultPoint, Timers } from '../../kernel/index.ts';
import type { ActivityName, ActivityRequest, RunActivity } from '../engine/run-scope.ts';
import type { JournalEntry } from '../engine/run-store.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { ActivityProgress, UnderwayActivity } from './embedded-engine.ts';

export interface RunActivitiesParts {
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
  /** It threw although nobody had stopped it. */
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

  /** Nothing begins any more, and what is under way is told to end. */
  stop(reason: () => Error): void {
    this.#held = [];
    // An error and an event for nobody would cost a short run as much as a step.
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
