import type { Secret } from '../../kernel/index.ts';
import { ModelCallError } from '../errors.ts';
import type { AskOptions, ModelLimits, TextModelAnswer } from '../text-model.ts';

/** Where a model is asked, and how it is called in errors. */
export interface Endpoint {
  /** The model as `tutti models` names it. */
  readonly model: string;
  readonly key: Secret | null;
  readonly limits: Pick<ModelLimits, 'idleMs' | 'maxWireBytes' | 'maxAnswerBytes'>;
}

/** An address as it may be shown: without a user name, a password and a query. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname === '/' ? '' : pathname}`;
}

/** Authenticates with the key, or with the user name and password in the address. */
export function authorizationOf(url: string, key: Secret | null): Record<string, string> {
  if (key !== null) return { authorization: `Bearer ${key.reveal()}` };
  const { username, password } = new URL(url);
  if (username === '' && password === '') return {};
  const both = `${decoded(username)}:${decoded(password)}`;
  return { authorization: `Basic ${Buffer.from(both).toString('base64')}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const maxQuoted = 300;

/** Words of a server in an error of ours: one line, not long, and without the key. */
export function quote(text: string, key: Secret | null): string {
  const secret = key?.reveal() ?? '';
  const hidden = secret === '' ? text : text.replaceAll(secret, '[hidden]');
  const line = hidden
    .slice(0, maxQuoted * 4)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length > maxQuoted ? `${line.slice(0, maxQuoted)}…` : line;
}

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
    throw new ModelCallError('models.endless_answer', { model, reason });
  }

  #empty(finish: TextModelAnswer['finish']): ModelCallError {
    const { model } = this.#endpoint;
    if (this.#thoughtBytes === 0) {
      return new ModelCallError('models.empty_answer', { model, reason: 'its answer has no text' });
    }
    const reason =
      finish === 'length'
        ? 'it used up its output tokens with thinking; allow it more'
        : 'it only thought, and said nothing';
    return new ModelCallError('models.empty_answer', { model, reason });
  }
}
