import type { ModelCall } from '../../contract/model/index.ts';

const opening = '<think>';
const closing = '</think>';
/** White space before that is held back no longer than this. */
const maxHeld = 256;

/**
 * Leaves out what a model wrote to itself at the beginning of its answer (`<think>…</think>`), piece by
 * piece. A text that only might still become that is held back until it is clear.
 */
export class WithoutThinking {
  readonly #onText: (piece: string) => void;
  #state: 'start' | 'thinking' | 'answer' = 'start';
  #held = '';

  constructor(onText: (piece: string) => void) {
    this.#onText = onText;
  }

  push(piece: string): void {
    if (this.#state === 'answer') {
      this.#onText(piece);
      return;
    }
    this.#held += piece;
    if (this.#state === 'start') this.#begin();
    if (this.#state === 'thinking') this.#think();
  }

  /** Gives out what was held back; thinking that never ended is no answer. */
  end(): void {
    if (this.#state === 'start' && this.#held !== '') this.#onText(this.#held);
    this.#held = '';
  }

  #begin(): void {
    const text = this.#held.trimStart();
    if (text.startsWith(opening)) {
      this.#state = 'thinking';
      this.#held = text.slice(opening.length);
    } else if (!opening.startsWith(text) || this.#held.length > maxHeld) {
      this.#state = 'answer';
      this.#onText(this.#held);
      this.#held = '';
    }
  }

  #think(): void {
    const end = this.#held.indexOf(closing);
    if (end < 0) {
      // The mark itself may be cut in two; the rest need not be scanned again.
      this.#held = this.#held.slice(-(closing.length - 1));
      return;
    }
    const answer = this.#held.slice(end + closing.length).trimStart();
    this.#held = '';
    this.#state = 'answer';
    if (answer !== '') this.#onText(answer);
  }
}

export function withoutThinking(text: string): string {
  const kept: string[] = [];
  const filter = new WithoutThinking((piece) => kept.push(piece));
  filter.push(text);
  filter.end();
  return kept.join('');
}

/** Passes pieces of an answer on, and calls `onRestart` when an attempt that was shown is void. */
export class Output {
  readonly #call: Pick<ModelCall, 'onText' | 'onRestart'>;
  #filter: WithoutThinking;
  #isShown = false;

  constructor(call: Pick<ModelCall, 'onText' | 'onRestart'>) {
    this.#call = call;
    this.#filter = this.#newFilter();
  }

  readonly push = (piece: string): void => this.#filter.push(piece);

  end(): void {
    this.#filter.end();
  }

  /** Before each attempt. */
  restart(): void {
    this.#filter = this.#newFilter();
    if (this.#isShown) this.#call.onRestart?.();
    this.#isShown = false;
  }

  #newFilter(): WithoutThinking {
    return new WithoutThinking((piece) => {
      this.#isShown = true;
      this.#call.onText?.(piece);
    });
  }
}
