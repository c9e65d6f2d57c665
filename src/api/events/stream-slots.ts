import type { ServerResponse } from 'node:http';
import type { Caller } from '../../contract/caller/index.ts';
import { TooManyStreamsError } from '../errors.ts';
import type { ApiLimits } from '../ports.ts';

/** Counts the open event streams, of all callers and of each. */
export class StreamSlots {
  readonly #limits: Pick<ApiLimits, 'maxStreams' | 'maxStreamsPerCaller'>;
  readonly #perCaller = new Map<string, number>();
  #open = 0;

  constructor(limits: Pick<ApiLimits, 'maxStreams' | 'maxStreamsPerCaller'>) {
    this.#limits = limits;
  }

  /** Takes a slot until the response is closed. Throws `api.too_many_streams`. */
  admit({ id }: Caller, response: ServerResponse): void {
    const { maxStreams, maxStreamsPerCaller } = this.#limits;
    const count = this.#perCaller.get(id) ?? 0;
    if (this.#open >= maxStreams) throw new TooManyStreamsError(maxStreams);
    if (count >= maxStreamsPerCaller) throw new TooManyStreamsError(maxStreamsPerCaller);
    this.#open += 1;
    this.#perCaller.set(id, count + 1);
    response.once('close', () => {
      this.#open -= 1;
      const left = (this.#perCaller.get(id) ?? 1) - 1;
      if (left > 0) this.#perCaller.set(id, left);
      else this.#perCaller.delete(id);
    });
  }
}
