import type { Opening } from '../contract/opening/index.ts';
import type { Request } from '../protocol/index.ts';
import { encodeChange } from './change-notification.ts';
import { lookupTable } from '../kernel/index.ts';

/** Requests that are answered without doing anything else, and the list each is about. */
const lists: Readonly<Record<string, 'tools' | 'prompts' | 'resources'>> = lookupTable({
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resources',
});

/** Answers told to who keeps them; later ones are no beginning any more. */
const maxToldAnswers = 16;

/**
 * The beginning of a connection, gone through again by the system: an answer the client has already is
 * not sent again, and where it would be another one now, the client is told that the list changed.
 */
export class ReplayedOpening {
  readonly #opening: Opening;
  readonly #waiting: Map<string | number, string>;
  #told = 0;

  constructor(opening: Opening) {
    this.#opening = opening;
    this.#waiting = new Map(opening.answered);
  }

  /** Nothing is left to be compared or told. */
  get isOver(): boolean {
    return this.#waiting.size === 0 && this.#told >= maxToldAnswers;
  }

  /** Asked once for each request when it is received: the client may use its id again. */
  answerSentTo(request: Request): string | undefined {
    const sent = this.#waiting.get(request.id);
    this.#waiting.delete(request.id);
    return sent;
  }

  /** What is to be sent in place of `line`, the answer to a request to which `sent` was sent. */
  settle(request: Request, sent: string | undefined, line: string | undefined): string | undefined {
    if (this.#told < maxToldAnswers) {
      this.#told += 1;
      this.#opening.onAnswer(request, line);
    }
    if (sent === undefined) return line;
    const kind = lists[request.method];
    return sent === line || kind === undefined ? undefined : encodeChange({ kind });
  }
}
