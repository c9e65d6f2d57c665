import { randomBytes } from 'node:crypto';
import type { Caller } from '../../contract/caller/index.ts';
import type { ClientSessionFact, RecordedFact } from '../../contract/client-session/index.ts';
import type { EventStream } from '../../http/index.ts';
import { reportError } from '../../kernel/index.ts';
import {
  encodeError,
  encodeNotification,
  encodeResult,
  type Notification,
  type Response,
} from '../../protocol/index.ts';
import { TooManySessionsError } from '../errors.ts';
import { HandshakeSession } from '../handshake-session.ts';
import { PendingClientRequests } from '../pending-client-requests.ts';
import { receiveMessage } from '../receive-message.ts';
import type { HttpParts } from './http-parts.ts';
import { SessionFacts } from './session-facts.ts';
import { SessionSeals, type SealedSession } from './session-seals.ts';

/** A session of the handshake era that is open in this process. */
export interface HttpSession {
  /** The value of `Mcp-Session-Id`. */
  readonly id: string;
  readonly expiresAtMs: number;
  readonly caller: Caller;
  readonly session: HandshakeSession;
  /** The open GET stream for messages outside any request; without one they are dropped. */
  stream: EventStream | undefined;
  usedAt: number;
}

const idBytes = 16;
/** A message for another instance is stored; larger ones are dropped. */
const maxRelayedChars = 1_048_576;
const maxRelaysAtOnce = 64;

/**
 * The sessions that are open here, at most `maxSessions`.
 *
 * 1. A session is opened by `initialize`, or with its id by whichever instance gets it: the id is all there is to know.
 * 2. The longest idle is closed for another one and opened again by its next request. Only `end` ends a session.
 * 3. Requests on a session that is open here read nothing from the store.
 * 4. Answers and cancellations for requests of another instance are passed to it through the store.
 */
export class HttpSessions {
  readonly #parts: HttpParts;
  readonly #seals: SessionSeals;
  readonly #facts: SessionFacts;
  readonly #instance = randomBytes(idBytes).toString('base64url');
  readonly #byId = new Map<string, HttpSession>();
  readonly #bySession = new Map<string, HttpSession>();
  /** Those that are being opened, by id. */
  readonly #opening = new Map<string, Promise<HttpSession | undefined>>();
  /** Facts that arrived about them meanwhile. */
  readonly #early = new Map<string, ClientSessionFact[]>();
  #asked = 0;
  #relays = 0;

  constructor(parts: HttpParts) {
    this.#parts = parts;
    const { store, secrets } = parts.sessions;
    this.#seals = new SessionSeals(secrets);
    this.#facts = new SessionFacts({
      store,
      instance: this.#instance,
      hasSessions: () => this.#byId.size + this.#opening.size > 0,
      onFact: (recorded) => this.#learn(recorded),
      log: parts.serving.log,
    });
  }

  get size(): number {
    return this.#byId.size;
  }

  /** A session that becomes one of these when it is kept. Throws when every session is in use. */
  async create(caller: Caller): Promise<HandshakeSession> {
    this.#makeRoom();
    await this.#facts.begin();
    return this.#build(caller, randomBytes(idBytes).toString('base64url'));
  }

  /** Undefined when what the client said of itself is too long for an id. */
  keep(session: HandshakeSession, caller: Caller): HttpSession | undefined {
    const { clock, limits } = this.#parts;
    const { id: sessionId, version, capabilities } = session;
    const expiresAtMs = Math.floor(clock.now()) + limits.sessionLifetimeMs;
    const id = this.#seals.seal(caller, { sessionId, version, capabilities, expiresAtMs });
    return id === undefined ? undefined : this.#add({ id, expiresAtMs, caller, session });
  }

  /** One that is open here. A session exists only for the caller that opened it. */
  held(id: string, caller: Caller): HttpSession | undefined {
    const found = this.#byId.get(id);
    if (found?.caller.id !== caller.id) return undefined;
    const now = this.#parts.clock.now();
    if (found.expiresAtMs <= now) {
      this.#close(found);
      return undefined;
    }
    found.usedAt = now;
    return found;
  }

  /** Opens a session with its id; undefined when there is none. Throws when every session is in use. */
  open(id: string, caller: Caller): Promise<HttpSession | undefined> {
    const sealed = this.#seals.open(id, caller, this.#parts.clock.now());
    if (!sealed) return Promise.resolve(undefined);
    const opening = this.#opening.get(id) ?? this.#reopen(id, sealed, caller);
    this.#opening.set(id, opening);
    return opening;
  }

  /** Ends it, here and at every other instance. */
  async end(ended: HttpSession): Promise<void> {
    this.#close(ended);
    await this.#tell(ended, { kind: 'ended' });
  }

  /** Takes a message that is no request; what no request of this instance waits for may be for another one. */
  accept(found: HttpSession, message: Notification | Response): void {
    const { session } = found;
    const isOurs = message.kind === 'response' ? session.settle(message) : session.accept(message);
    if (isOurs || !this.#mayBeOfOther(message)) return;
    const text = textOf(message);
    const { log } = this.#parts.serving;
    if (text.length > maxRelayedChars || this.#relays >= maxRelaysAtOnce) {
      log.warn('dropped a message for another instance', { length: text.length });
      return;
    }
    this.#relays += 1;
    this.#tell(found, { kind: 'message', text: this.#seals.sealMessage(session.id, text) })
      .catch((error: unknown) => {
        const { message: reason } = reportError(error);
        log.warn('failed to pass a message to another instance', { reason });
      })
      .finally(() => (this.#relays -= 1));
  }

  closeIdle(): void {
    const now = this.#parts.clock.now();
    const before = now - this.#parts.limits.sessionIdleMs;
    for (const session of this.#byId.values()) {
      const isOver = session.expiresAtMs <= now;
      if (isIdle(session) && (isOver || session.usedAt <= before)) this.#close(session);
    }
  }

  endStreams(): void {
    for (const { stream } of this.#byId.values()) stream?.end();
  }

  /** Ends the streams. The listener waits for running requests. */
  close(): void {
    this.#facts.close();
    this.endStreams();
    for (const { session } of this.#byId.values()) session.silence();
    this.#byId.clear();
    this.#bySession.clear();
  }

  async #reopen(
    id: string,
    sealed: SealedSession,
    caller: Caller,
  ): Promise<HttpSession | undefined> {
    const { sessionId, expiresAtMs } = sealed;
    const early: ClientSessionFact[] = [];
    this.#early.set(sessionId, early);
    try {
      await this.#facts.begin();
      const known = await this.#facts.factsOf(sessionId);
      const facts = [...known, ...early];
      if (facts.some(({ kind }) => kind === 'ended')) return undefined;
      this.#makeRoom();
      const session = this.#build(caller, sessionId, sealed);
      for (const fact of facts) this.#apply(session, fact);
      return this.#add({ id, expiresAtMs, caller, session });
    } finally {
      this.#opening.delete(id);
      this.#early.delete(sessionId);
    }
  }

  #build(caller: Caller, sessionId: string, sealed?: SealedSession): HandshakeSession {
    const { serving } = this.#parts;
    return new HandshakeSession(
      { serving, caller },
      (text) => this.#streamOf(sessionId)?.send(text),
      {
        id: sessionId,
        // Of this instance, so that another one cannot take the answer for that to a request of its own.
        clientRequests: new PendingClientRequests({
          newId: () => `${this.#instance}.${(this.#asked += 1)}`,
        }),
        negotiated: sealed,
        onFact: async (fact) => {
          const held = this.#bySession.get(sessionId);
          if (held) await this.#tell(held, fact);
        },
      },
    );
  }

  #add(opened: Pick<HttpSession, 'id' | 'expiresAtMs' | 'caller' | 'session'>): HttpSession {
    const added: HttpSession = { ...opened, stream: undefined, usedAt: this.#parts.clock.now() };
    this.#byId.set(added.id, added);
    this.#bySession.set(added.session.id, added);
    return added;
  }

  #streamOf(sessionId: string): EventStream | undefined {
    return this.#bySession.get(sessionId)?.stream;
  }

  #close(closed: HttpSession): void {
    this.#byId.delete(closed.id);
    this.#bySession.delete(closed.session.id);
    closed.session.close();
    closed.stream?.end();
  }

  #tell({ session, expiresAtMs }: HttpSession, fact: ClientSessionFact): Promise<void> {
    return this.#facts.record({ sessionId: session.id, expiresAtMs }, fact);
  }

  #learn({ sessionId, fact }: RecordedFact): void {
    this.#early.get(sessionId)?.push(fact);
    const held = this.#bySession.get(sessionId);
    if (!held) return;
    if (fact.kind === 'ended') this.#close(held);
    else this.#apply(held.session, fact);
  }

  #apply(session: HandshakeSession, fact: ClientSessionFact): void {
    if (fact.kind !== 'message') {
      session.apply(fact);
      return;
    }
    const text = this.#seals.openMessage(session.id, fact.text);
    if (text === undefined) return;
    const message = receiveMessage(Buffer.from(text), maxRelayedChars);
    if (message.kind === 'response') session.settle(message);
    else if (message.kind === 'notification') session.accept(message);
  }

  #mayBeOfOther(message: Notification | Response): boolean {
    if (message.kind === 'notification') return message.method === 'notifications/cancelled';
    const { id } = message;
    return typeof id === 'string' && id.includes('.') && !id.startsWith(`${this.#instance}.`);
  }

  #makeRoom(): void {
    const { maxSessions } = this.#parts.limits;
    if (this.#byId.size < maxSessions) return;
    let oldest: HttpSession | undefined;
    for (const session of this.#byId.values()) {
      if (isIdle(session) && (!oldest || session.usedAt < oldest.usedAt)) oldest = session;
    }
    if (!oldest) throw new TooManySessionsError(maxSessions);
    this.#close(oldest);
  }
}

function textOf(message: Notification | Response): string {
  if (message.kind === 'notification') return encodeNotification(message.method, message.params);
  const { id, outcome } = message;
  if ('error' in outcome) return encodeError(id, outcome.error);
  return encodeResult(id ?? '', Object(outcome.result));
}

function isIdle(session: HttpSession): boolean {
  return !session.stream && !session.session.isBusy;
}
