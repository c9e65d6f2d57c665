import type { RunView } from '../../contract/run/index.ts';
import { countCalls, type Task } from './task.ts';

/** What one request of several rounds may use; tokens and money are the models' budgets to hold. */
export interface TaskLimits {
  readonly maxRounds: number;
  readonly maxCalls: number;
  readonly maxMinutes: number;
}

/** Holds a task to its time and calls while a round or a request to the model is under way. */
export interface TaskWatch {
  /** Aborted by the user's cancellation, or when a limit is passed. */
  readonly signal: AbortSignal;
  /** The limit that was passed, as a sentence. */
  passed(): string | undefined;
  /** A run as it stands: its calls are counted, and the clock stands still while it waits for a person. */
  observe(view: RunView): void;
  /** Calls of the runs that have ended, and how many the next one makes at least. */
  settle(callsSoFar: number, callsAhead?: number): void;
  pause(): void;
  resume(): void;
  usedMs(): number;
  close(): void;
}

const minuteMs = 60_000;

export function watchTask(
  { grant, usedMs }: Pick<Task, 'grant' | 'usedMs'>,
  { maxCalls, maxMinutes }: TaskLimits,
  cancelled: AbortSignal,
): TaskWatch {
  const limit = new AbortController();
  let used = usedMs;
  let since: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let settledCalls = 0;
  let passed: string | undefined;
  const stop = (sentence: string): void => {
    passed ??= sentence;
    limit.abort(new Error(sentence));
  };
  const pause = (): void => {
    clearTimeout(timer);
    if (since !== undefined) used += performance.now() - since;
    since = undefined;
  };
  const resume = (): void => {
    if (since !== undefined) return;
    since = performance.now();
    const leftMs = maxMinutes * minuteMs - (used - grant.usedMs);
    timer = setTimeout(
      () => stop(`agent.max_minutes: ${maxMinutes} minutes of work are used up.`),
      Math.max(0, leftMs),
    );
  };
  const count = (calls: number): void => {
    if (calls - grant.calls <= maxCalls) return;
    stop(`agent.max_calls: more than ${maxCalls} tool calls would be needed.`);
  };
  resume();
  return {
    signal: AbortSignal.any([cancelled, limit.signal]),
    passed: () => passed,
    observe: (view) => {
      if (view.status === 'waiting') pause();
      else resume();
      count(settledCalls + countCalls([view]));
    },
    settle: (calls, ahead = 0) => {
      settledCalls = calls;
      count(calls + ahead);
    },
    pause,
    resume,
    usedMs: () => used + (since === undefined ? 0 : performance.now() - since),
    close: pause,
  };
}
