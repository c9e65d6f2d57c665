import type { ModelCall } from '../../contract/model/index.ts';
import { WithoutThinking } from './without-thinking.ts';

/** Passes pieces of an answer on, and tells when an attempt that had begun is void. */
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
