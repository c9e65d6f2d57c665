import type { Caller } from '../../contract/caller/index.ts';
import type { EventStream } from '../../http/index.ts';
import { TooManySessionsError } from '../errors.ts';
import { HandshakeSession } from '../handshake-session.ts';
import type { HttpParts } from './http-parts.ts';

/** A session of the handshake era. */
export interface HttpSession {
  readonly id: string;
  readonly caller: Caller;
  readonly session: HandshakeSession;
  /** The open GET stream for messages outside any request; without one they are dropped. */
  stream: EventStream | undefined;
  usedAt: number;
}

/** All sessions, at most `maxSessions`; the longest idle is ended for a new one. */
export class HttpSessions {
  readonly #parts: HttpParts;
  readonly #byId = new Map<string, HttpSession>();

  constructor(parts: HttpParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Throws when every session is in use. */
  create(caller: Caller): HttpSession {
    this.#evictOldest();
    const { serving, clock } = this.#parts;
    const session = new HandshakeSession({ serving, caller }, (text) => created.stream?.send(text));
    const created: HttpSession = {
      id: session.id,
      caller,
      session,
      stream: undefined,
      usedAt: clock.now(),
    };
    this.#byId.set(created.id, created);
    return created;
  }

  /** A session exists only for the caller that opened it. */
  find(id: string, caller: Caller): HttpSession | undefined {
    const found = this.#byId.get(id);
    if (found?.caller.id !== caller.id) return undefined;
    found.usedAt = this.#parts.clock.now();
    return found;
  }

  end(ended: HttpSession): void {
    this.#byId.delete(ended.id);
    ended.session.close();
    ended.stream?.end();
  }

  endIdle(): void {
    const before = this.#parts.clock.now() - this.#parts.limits.sessionIdleMs;
    for (const session of this.#byId.values()) {
      if (isIdle(session) && session.usedAt <= before) this.end(session);
    }
  }

  /** Ends the streams. The listener waits for running requests. */
  close(): void {
    for (const { session, stream } of this.#byId.values()) {
      session.silence();
      stream?.end();
    }
    this.#byId.clear();
  }

  #evictOldest(): void {
    const { maxSessions } = this.#parts.limits;
    if (this.#byId.size < maxSessions) return;
    let oldest: HttpSession | undefined;
    for (const session of this.#byId.values()) {
      if (isIdle(session) && (!oldest || session.usedAt < oldest.usedAt)) oldest = session;
    }
    if (!oldest) throw new TooManySessionsError(maxSessions);
    this.end(oldest);
  }
}

function isIdle(session: HttpSession): boolean {
  return !session.stream && !session.session.isBusy;
}
