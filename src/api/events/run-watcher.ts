import type { Caller } from '../../contract/caller/index.ts';
import type { RunView, Workflows } from '../../contract/run/index.ts';
import { AppError, type Log } from '../../kernel/index.ts';
import { isOver, runState, stateDigest } from './event-id.ts';
import type { RunStream } from './run-event-streams.ts';

interface WatcherParts {
  readonly caller: Caller;
  readonly runId: string;
  readonly workflows: Pick<Workflows, 'journal' | 'follow'>;
  readonly idlePollMs: number;
  readonly log: Log;
  readonly onEnd: () => void;
}

/** Entries read at once. */
const pageEntries = 500;
/** A run that waits for a person is looked at less and less often, until something is done to it here. */
const maxPauseFactor = 8;

/**
 * Follows one run for all of its streams and ends with the run or the last stream. Deliveries are made one after
 * another, each from the oldest position of a stream on; a stream takes what it lacks.
 */
export class RunWatcher {
  readonly #parts: WatcherParts;
  readonly #streams = new Set<RunStream>();
  readonly #abort = new AbortController();
  #latest: RunView | undefined;
  #delivering: Promise<void> | undefined;
  #wake: (() => void) | undefined;

  constructor(parts: WatcherParts) {
    this.#parts = parts;
  }

  join(stream: RunStream): void {
    this.#streams.add(stream);
    if (this.#streams.size === 1 && !this.#latest) void this.#run();
    else void this.#deliver();
  }

  nudge(): void {
    this.#wake?.();
  }

  close(): void {
    this.#abort.abort();
    this.#wake?.();
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
    this.#parts.onEnd();
  }

  async #run(): Promise<void> {
    const { caller, runId, workflows, idlePollMs, log } = this.#parts;
    const { signal } = this.#abort;
    try {
      for (let factor = 1; this.#hasStreams(); factor = Math.min(factor * 2, maxPauseFactor)) {
        const before = this.#latest && stateDigest(runState(this.#latest));
        const onChange = (view: RunView): void => {
          this.#latest = view;
          void this.#deliver();
          if (!this.#hasStreams()) this.close();
        };
        const view = await workflows.follow(caller, runId, { execute: false, signal, onChange });
        this.#latest = view;
        await this.#deliver();
        if (isOver(view.status)) break;
        if (before !== stateDigest(runState(view))) factor = 1;
        if (await this.#pause(idlePollMs * factor)) factor = 1;
      }
    } catch (error) {
      const isExpected = signal.aborted || error instanceof AppError;
      if (!isExpected) log.error('watching a run failed', { runId, error });
    }
    this.close();
  }

  /** True when it was ended by a nudge. */
  #pause(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (isNudged: boolean): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve(isNudged);
      };
      const timer = setTimeout(() => finish(false), ms).unref();
      this.#wake = () => finish(true);
    });
  }

  #hasStreams(): boolean {
    for (const stream of this.#streams) if (stream.isClosed) this.#streams.delete(stream);
    return this.#streams.size > 0;
  }

  /** One delivery at a time; a change during one is delivered after it. */
  async #deliver(): Promise<void> {
    const before = this.#delivering;
    if (before) {
      await before;
      if (this.#delivering) return this.#delivering;
    }
    const delivering = this.#deliverOnce().finally(() => {
      if (this.#delivering === delivering) this.#delivering = undefined;
    });
    this.#delivering = delivering;
    return delivering;
  }

  async #deliverOnce(): Promise<void> {
    const view = this.#latest;
    if (!view || !this.#hasStreams()) return;
    const { caller, runId, workflows, log } = this.#parts;
    // One that joins meanwhile lacks what was read before, and gets it from the next delivery.
    const streams = [...this.#streams];
    try {
      let after = Math.min(...streams.map(({ position }) => position.number));
      for (; ; after += pageEntries) {
        const range = { after, limit: pageEntries };
        const { entries } = await workflows.journal(caller, runId, range);
        for (const entry of entries) {
          const text = JSON.stringify(entry);
          for (const stream of streams) stream.sendEntry(entry.number, text);
        }
        if (entries.length < pageEntries) break;
      }
      const state = runState(view);
      const [digest, text] = [stateDigest(state), JSON.stringify(state)];
      for (const stream of streams) stream.sendState(digest, text);
    } catch (error) {
      log.warn('run events were not delivered', { runId, error });
      this.close();
    }
  }
}
