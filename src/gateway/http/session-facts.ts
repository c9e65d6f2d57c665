import type {
  ClientSessionFact,
  ClientSessionStore,
  RecordedFact,
} from '../../contract/client-session/index.ts';
import { reportError, type Log } from '../../kernel/index.ts';

/** How long another instance may go on with a session that has ended, and how long it leaves a message unread. */
const pollMs = 250;
const maxFactsAtOnce = 1_000;

export interface SessionFactsParts {
  readonly store: ClientSessionStore;
  readonly instance: string;
  /** Without any, nothing is read. */
  readonly hasSessions: () => boolean;
  /** Called for every fact that another instance recorded. */
  readonly onFact: (recorded: RecordedFact) => void;
  readonly log: Log;
}

/**
 * What this instance and the others tell each other about sessions, through the store.
 *
 * 1. A request on a session that is open here reads nothing: facts arrive in the background.
 * 2. `begin` before a session is opened: no fact recorded after it is missed.
 */
export class SessionFacts {
  readonly #parts: SessionFactsParts;
  readonly #timer: NodeJS.Timeout;
  #beginning: Promise<string> | undefined;
  #cursor: string | undefined;
  #isReading = false;
  #isFailing = false;

  constructor(parts: SessionFactsParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.#poll(), pollMs).unref();
  }

  async begin(): Promise<void> {
    if (this.#cursor !== undefined) return;
    this.#beginning ??= this.#parts.store.factsAfter(undefined, 0).then(({ cursor }) => cursor);
    try {
      const cursor = await this.#beginning;
      this.#cursor ??= cursor;
    } finally {
      this.#beginning = undefined;
    }
  }

  factsOf(sessionId: string): Promise<readonly ClientSessionFact[]> {
    return this.#parts.store.factsOf(sessionId);
  }

  record(
    { sessionId, expiresAtMs }: Pick<RecordedFact, 'sessionId' | 'expiresAtMs'>,
    fact: ClientSessionFact,
  ): Promise<void> {
    const { store, instance } = this.#parts;
    return store.record({ sessionId, instance, expiresAtMs, fact });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #poll(): Promise<void> {
    if (this.#isReading || this.#cursor === undefined) return;
    if (!this.#parts.hasSessions()) {
      this.#cursor = undefined;
      return;
    }
    this.#isReading = true;
    try {
      await this.#readAll(this.#cursor);
      this.#isFailing = false;
    } catch (error) {
      const { message } = reportError(error);
      if (!this.#isFailing)
        this.#parts.log.warn('failed to read facts about sessions', { message });
      this.#isFailing = true;
    } finally {
      this.#isReading = false;
    }
  }

  async #readAll(after: string): Promise<void> {
    const { store, instance, onFact } = this.#parts;
    let from = after;
    for (;;) {
      const { facts, cursor } = await store.factsAfter(from, maxFactsAtOnce);
      from = this.#cursor = cursor;
      for (const recorded of facts) if (recorded.instance !== instance) onFact(recorded);
      if (facts.length < maxFactsAtOnce) return;
    }
  }
}
