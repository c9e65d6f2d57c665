import type { Caller } from '../../contract/caller/index.ts';
import type { FollowOptions, RunSummary, RunView } from '../../contract/run/index.ts';
import { reportError, type Timers } from '../../kernel/index.ts';
import { findSummary, isOver, requireHere } from './find-run.ts';
import type { WorkflowsParts, RunNews } from './workflows-parts.ts';

/** The run as it stands. */
type ShowRun = (caller: Caller, runId: string) => Promise<RunView>;

/** A run is read this often even without news. */
const lookMs = 500;
/** Between two looks there is at least this, and a few times what the last look took. */
const minPauseMs = 20;
const pauseFactor = 4;
const maxPauseMs = 5_000;
/** The owner of a run may die: then it is claimed here. */
const takeOnMs = 1_000;
/** What keeps a run from going on, such as a full disk, may pass; after this long the caller gets the error. */
const maxTroubleMs = 60_000;
/** Only keeps the process from ending; what is waited for has timers that do not. */
const keepAliveMs = 60_000;

/**
 * Waits until the run has ended, waits for a person or is paused. 1. Each pause is bounded. 2. An abort
 * ends the waiting and nothing else. 3. `onChange` gets every view, the one that is returned, too. 4. Without
 * `onChange` the run is not replayed before it settles, or nothing was heard of it for a while: then its
 * stored status may lag behind.
 */
export async function followRun(
  parts: Pick<WorkflowsParts, 'timers' | 'executor' | 'store' | 'place'>,
  show: ShowRun,
  { caller, runId: given, options }: { caller: Caller; runId: string; options: FollowOptions },
): Promise<RunView> {
  const { timers, store } = parts;
  const { signal, execute, onChange } = options;
  signal.throwIfAborted();
  let run: Pick<RunSummary, 'runId' | 'engine' | 'status' | 'folder'> = await findSummary(
    store,
    caller,
    given,
  );
  const { runId } = run;
  if (execute && !isOver(run.status)) {
    await requireHere(parts, run, { wanted: 'continued', command: 'resume' });
  }
  const executor = await parts.executor(run.engine);
  const wake = new WakeSignal(timers);
  const raise = (): void => wake.raise('turn');
  const stopListening = executor.onChange(runId, (news) => wake.raise(news));
  signal.addEventListener('abort', raise, { once: true });
  const keepAlive = setInterval(() => {}, keepAliveMs);
  const troubles = new Troubles(options);
  let takenAtMs = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  let isNews = !execute;
  try {
    for (;;) {
      const hasLooked = onChange !== undefined || isNews || isSettled(run);
      if (hasLooked) {
        const lookedAtMs = timers.now();
        const view = await show(caller, runId);
        tookMs = timers.now() - lookedAtMs;
        onChange?.(view);
        if (isSettled(view)) return view;
        run = view;
      }
      if (execute && timers.now() - takenAtMs >= takeOnMs) {
        takenAtMs = timers.now();
        await executor.begin(runId, { isWaitedFor: true });
      }
      if (execute) troubles.note(executor.trouble?.(runId), timers.now());
      const heard = await wake.wait(lookMs, onChange ? 'progress' : 'elsewhere');
      signal.throwIfAborted();
      if (hasLooked && heard !== 'turn') await wake.wait(clamp(tookMs * pauseFactor), 'turn');
      signal.throwIfAborted();
      isNews = heard === undefined || heard === 'turn';
      if (!onChange && !isNews) run = await findSummary(store, caller, runId);
    }
  } finally {
    clearInterval(keepAlive);
    stopListening();
    signal.removeEventListener('abort', raise);
  }
}

/** Tells once what keeps a run from going on, and gives up when it lasts. The run itself stays as it is. */
class Troubles {
  readonly #onTrouble: FollowOptions['onTrouble'];
  #sinceMs: number | undefined;

  constructor({ onTrouble }: FollowOptions) {
    this.#onTrouble = onTrouble;
  }

  note(trouble: unknown, nowMs: number): void {
    if (trouble === undefined) {
      this.#sinceMs = undefined;
      return;
    }
    if (this.#sinceMs === undefined) this.#onTrouble?.(reportError(trouble));
    this.#sinceMs ??= nowMs;
    if (nowMs - this.#sinceMs >= maxTroubleMs) throw trouble;
  }
}

function isSettled({ status }: Pick<RunView, 'status'>): boolean {
  return isOver(status) || status === 'waiting' || status === 'paused';
}

function clamp(ms: number): number {
  return Math.min(Math.max(ms, minPauseMs), maxPauseMs);
}

/** More important news wake more waiters. */
const importance: Readonly<Record<RunNews, number>> = { progress: 1, elsewhere: 2, turn: 3 };

/** Wakes a waiter for news of at least some importance. Raised without a waiter, it ends the next wait at once. */
class WakeSignal {
  readonly #timers: Timers;
  #raised: RunNews | undefined;
  #wanted: RunNews = 'progress';
  #wake: (() => void) | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  raise(news: RunNews): void {
    if (this.#raised === undefined || importance[news] > importance[this.#raised])
      this.#raised = news;
    if (this.#isHeard()) this.#wake?.();
  }

  /** Until it is raised, at most `limitMs`; returns the news. What was raised before is consumed. */
  async wait(limitMs: number, wanted: RunNews): Promise<RunNews | undefined> {
    this.#wanted = wanted;
    if (!this.#isHeard()) {
      await new Promise<void>((resolve) => {
        const cancel = this.#timers.after(limitMs, resolve);
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
      this.#wake = undefined;
    }
    const heard = this.#isHeard() ? this.#raised : undefined;
    this.#raised = undefined;
    return heard;
  }

  #isHeard(): boolean {
    return this.#raised !== undefined && importance[this.#raised] >= importance[this.#wanted];
  }
}
