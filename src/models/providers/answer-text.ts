import { ModelEmptyAnswerError, ModelEndlessAnswerError } from '../errors.ts';
import type { AskOptions, TextModelAnswer } from '../text-model.ts';
import type { Endpoint } from './endpoint.ts';

/** Gathers an answer from its pieces, and ends one that grows without limit. */
export class AnswerText {
  readonly #endpoint: Endpoint;
  readonly #options: Pick<AskOptions, 'onText' | 'onThought'>;
  readonly #pieces: string[] = [];
  #bytes = 0;
  #thoughtBytes = 0;

  constructor(endpoint: Endpoint, options: Pick<AskOptions, 'onText' | 'onThought'>) {
    this.#endpoint = endpoint;
    this.#options = options;
  }

  add(piece: string): void {
    if (piece === '') return;
    this.#count(piece);
    this.#pieces.push(piece);
    this.#options.onText?.(piece);
  }

  /** What the model says to itself is no part of the answer, yet it has to end, too. */
  addThought(piece: string): void {
    this.#thoughtBytes += Buffer.byteLength(piece);
    this.#count(piece);
    this.#options.onThought?.(piece);
  }

  /** Throws `models.empty_answer` where there is no word, unless a filter took it away. */
  finish(ending: Omit<TextModelAnswer, 'text'>): TextModelAnswer {
    const text = this.#pieces.join('');
    if (text.trim() === '' && ending.finish !== 'filtered') throw this.#empty(ending.finish);
    return { text, ...ending };
  }

  #count(piece: string): void {
    const { model, limits } = this.#endpoint;
    this.#bytes += Buffer.byteLength(piece);
    if (this.#bytes <= limits.maxAnswerBytes) return;
    const reason = `it is longer than ${limits.maxAnswerBytes} bytes, so it was cut off`;
    throw new ModelEndlessAnswerError({ model, reason });
  }

  #empty(finish: TextModelAnswer['finish']): ModelEmptyAnswerError {
    const { model } = this.#endpoint;
    if (this.#thoughtBytes === 0) {
      return new ModelEmptyAnswerError({ model, reason: 'its answer has no text' });
    }
    const reason =
      finish === 'length'
        ? 'it used up its output tokens with thinking; allow it more'
        : 'it only thought, and said nothing';
    return new ModelEmptyAnswerError({ model, reason });
  }
}
