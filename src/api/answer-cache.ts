import { etagOf } from './send-answer.ts';

/** The bytes that are sent for an answer, and their tag. */
export interface AnswerBody {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** Answers of one source; at the limit all are made anew. */
const maxAnswers = 64;

/**
 * Answers that follow from one immutable object and a key, such as pages of the catalogue's tools, with their bytes.
 * They are gone with the object: a changed catalogue has another one.
 */
export class AnswerCache {
  readonly #answers = new WeakMap<object, Map<string, object>>();
  readonly #bodies = new WeakMap<object, AnswerBody>();

  /** `key` says everything that the answer depends on besides the source: what the caller may see above all. */
  answer<Answer extends object>(source: object, key: unknown, make: () => Answer): Answer {
    const answers = this.#answers.get(source) ?? new Map<string, object>();
    this.#answers.set(source, answers);
    const text = JSON.stringify(key);
    const known = answers.get(text);
    // Only `make` of the same source and key puts something there.
    if (known) return known as Answer;
    if (answers.size >= maxAnswers) answers.clear();
    const made = make();
    answers.set(text, made);
    this.#bodies.set(made, bodyOf(JSON.stringify(made)));
    return made;
  }

  /** Undefined for answers that are not from here. */
  body(answer: unknown): AnswerBody | undefined {
    return typeof answer === 'object' && answer !== null ? this.#bodies.get(answer) : undefined;
  }
}

function bodyOf(text: string): AnswerBody {
  return { bytes: Buffer.from(text), etag: etagOf(text) };
}
