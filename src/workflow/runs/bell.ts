import type { Timers } from '../../kernel/index.ts';
import type { RunNews } from './workflows-parts.ts';

/** The louder one, the more are woken. */
const loudness: Readonly<Record<RunNews, number>> = { progress: 1, elsewhere: 2, turn: 3 };

/** Wakes one who waits for such news or louder ones. Rung while nobody does, it ends the next wait at once. */
export class Bell {
  readonly #timers: Timers;
  #rung: RunNews | undefined;
  #wanted: RunNews = 'progress';
  #wake: (() => void) | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  ring(news: RunNews): void {
    if (this.#rung === undefined || loudness[news] > loudness[this.#rung]) this.#rung = news;
    if (this.#isHeard()) this.#wake?.();
  }

  /** Until it rings, `limitMs` at the longest; gives what was heard. What was rung before counts no more. */
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
    const heard = this.#isHeard() ? this.#rung : undefined;
    this.#rung = undefined;
    return heard;
  }

  #isHeard(): boolean {
    return this.#rung !== undefined && loudness[this.#rung] >= loudness[this.#wanted];
  }
}
