import type { Opening } from '../contract/opening/index.ts';
import type { Request } from '../protocol/index.ts';
import { encodeChange } from './change-notification.ts';
import { lookupTable } from '../kernel/index.ts';

/** List requests, and the list each is about. */
const lists: Readonly<Record<string, 'tools' | 'prompts' | 'resources'>> = lookupTable({
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resources',
});

/** Responses reported to the handshake cache; later ones are not part of the opening. */
const maxReported = 16;

/**
 * Replays the opening of a connection: a response that the client already has is not sent again; if it would
 * differ now, the client gets a list-changed notification.
 */
export class ReplayedOpening {
  readonly #opening: Opening;
  readonly #unmatched: Map<string | number, string>;
  #reported = 0;

  constructor(opening: Opening) {
    this.#opening = opening;
    this.#unmatched = new Map(opening.answered);
  }

  /** Nothing is left to compare or report. */
  get isOver(): boolean {
    return this.#unmatched.size === 0 && this.#reported >= maxReported;
  }

  /** Call once per request, when it is received: the client may reuse its id. */
  answerSentTo(request: Request): string | undefined {
    const sent = this.#unmatched.get(request.id);
    this.#unmatched.delete(request.id);
    return sent;
  }

  /** What to send instead of `line`, the response to a request that was already answered with `sent`. */
  settle(request: Request, sent: string | undefined, line: string | undefined): string | undefined {
    if (this.#reported < maxReported) {
      this.#reported += 1;
      this.#opening.onAnswer(request, line);
    }
    if (sent === undefined) return line;
    const kind = lists[request.method];
    return sent === line || kind === undefined ? undefined : encodeChange({ kind });
  }
}
