import {
  decodeWithText,
  defaultJsonLimits,
  isRecord,
  rawItems,
  type JsonLimits,
  type LongLine,
  type Malformed,
  type Message,
  type RequestId,
} from '../../../protocol/index.ts';
import { AnswerTooLargeError, BadAnswerError } from '../../errors.ts';
import type { LinkListener } from '../link.ts';
import { excerptOf, type Redact } from './excerpt.ts';

/**
 * Limits of one message from a server. Large enough for a file in base64; larger messages are skipped while they
 * arrive and never buffered.
 */
export const defaultMessageLimits: JsonLimits = {
  maxBytes: 32 * 1024 * 1024,
  maxDepth: defaultJsonLimits.maxDepth,
};

export interface MessageDispatcherOptions {
  /** The server's name, for errors. */
  readonly name: string;
  readonly limits: JsonLimits;
  readonly listener: LinkListener;
  /** Called with the beginning of invalid input. */
  readonly onExcerpt: (excerpt: string) => void;
  readonly redact?: Redact | undefined;
}

/** answer: a response, to the request of the exchange where known · other · garbage: not a message */
export type Dispatched = 'answer' | 'other' | 'garbage';

/** Decodes a line, body or event and passes its messages to the listener. Never throws itself. */
export class MessageDispatcher {
  readonly #options: MessageDispatcherOptions;

  constructor(options: MessageDispatcherOptions) {
    this.#options = options;
  }

  dispatch(bytes: Buffer, during?: RequestId): Dispatched {
    const { message, text } = decodeWithText(bytes, this.#options.limits);
    if (message.kind === 'malformed') return this.#refuse(message, bytes, text);
    if (message.kind !== 'batch') return this.#deliver(message, text, during);
    const texts = rawItems(text);
    let taken: Dispatched = 'other';
    for (const [at, part] of message.messages.entries()) {
      const partText = texts[at] ?? '';
      const one =
        part.kind === 'malformed'
          ? this.#refuse(part, Buffer.from(partText), partText)
          : this.#deliver(part, partText, during);
      if (one === 'answer') taken = one;
    }
    return taken;
  }

  /** Reports a message over the size limit, and fails its request where the kept ends show the id. */
  skipTooLarge(line: LongLine): void {
    const { listener, limits, name, onExcerpt, redact } = this.#options;
    listener.onProblem('sent a message larger than allowed');
    onExcerpt(excerptOf(line.head, redact));
    const id = idOfLongResponse(line);
    if (id !== undefined) {
      listener.onRequestFailed(id, new AnswerTooLargeError(name, limits.maxBytes));
    }
  }

  #deliver(
    message: Exclude<Message, { kind: 'malformed' }>,
    text: string,
    during: RequestId | undefined,
  ): Dispatched {
    const { listener } = this.#options;
    if (during === undefined) {
      listener.onMessage({ message, text });
      return message.kind === 'response' ? 'answer' : 'other';
    }
    if (message.kind !== 'response') {
      listener.onMessage({ message, text, during });
      return 'other';
    }
    // A server that could not parse the request answers with a null id; the exchange identifies it.
    const answer = message.id === null ? { ...message, id: during } : message;
    listener.onMessage({ message: answer, text, during });
    return answer.id === during ? 'answer' : 'other';
  }

  #refuse(message: Malformed, bytes: Buffer, text: string): Dispatched {
    const { listener, name, onExcerpt, redact } = this.#options;
    listener.onProblem('sent an invalid JSON-RPC message');
    onExcerpt(excerptOf(bytes, redact));
    if (message.id !== null && isResponseLike(text)) {
      listener.onRequestFailed(message.id, new BadAnswerError(name, message.error.message));
    }
    return 'garbage';
  }
}

/** With a method it is a request of the server, and the id is not one of ours. */
function isResponseLike(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && !('method' in value);
  } catch {
    return false;
  }
}

/** Servers write the id first or last; other positions do not justify buffering the message. */
function idOfLongResponse({ head, tail }: LongLine): RequestId | undefined {
  const first = /^\s*\{"jsonrpc":"2\.0","id":(\d{1,15}|"[^"\\]{1,100}"),"(?:result|error)":/;
  const last = /"jsonrpc":"2\.0","id":(\d{1,15}|"[^"\\]{1,100}")\}\s*$/;
  const found = first.exec(head.toString('latin1')) ?? last.exec(tail.toString('latin1'));
  const id = found?.[1];
  if (id === undefined) return undefined;
  return id.startsWith('"') ? id.slice(1, -1) : Number(id);
}
