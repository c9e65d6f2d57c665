import {
  type NewTurn,
  type OpenSession,
  type Session,
  type Turn,
  turnSchema,
} from '../../contract/session/index.ts';
import { type FaultPoint, type Log, Semaphore, type Timers } from '../../kernel/index.ts';
import { SessionFullError, SessionLostError, TurnTooLargeError } from '../errors.ts';
import type { MemoryLimits } from '../memory-limits.ts';
import type { SessionChange, SessionLease, SessionStore } from '../session-store.ts';
import type { SessionMirror } from './session-mirror.ts';

interface StoredSessionParts {
  readonly store: SessionStore;
  readonly mirror: SessionMirror;
  readonly limits: MemoryLimits;
  readonly timers: Timers;
  readonly log: Log;
  readonly reach: FaultPoint;
  /** Of a turn, which never changes. */
  readonly sizeOf: (turn: Turn) => { readonly bytes: number };
  /** Whether its file is still to be written. */
  readonly onClose: (isFileBehind: boolean) => void;
}

/** Changes that wait for the one that is being written. */
const maxWaiting = 100;
/** Signs of life in the time of a lease: one may fail. */
const renewalsPerLease = 3;

/**
 * A session that this process writes in.
 *
 * 1. One change at a time: it is in the store, then in `current`, and then acknowledged; its file follows.
 * 2. Nothing is written once the lease is gone: who has it since may have written something else.
 */
export class StoredSession implements OpenSession {
  readonly id: string;
  readonly #parts: StoredSessionParts;
  readonly #lease: SessionLease;
  readonly #writes = new Semaphore({ maxConcurrent: 1, maxWaiting });
  readonly #forever = new AbortController().signal;
  #session: Session;
  #bytes: number;
  #stopRenewing: () => void;
  /** Why nothing can be written any more. */
  #end: string | undefined;

  constructor(session: Session, lease: SessionLease, parts: StoredSessionParts) {
    this.id = session.id;
    this.#session = session;
    this.#lease = lease;
    this.#parts = parts;
    this.#bytes = session.turns.reduce((sum, turn) => sum + parts.sizeOf(turn).bytes, 0);
    this.#stopRenewing = this.#renewLater();
  }

  current(): Session {
    return this.#session;
  }

  append(turn: NewTurn): Promise<Turn> {
    return this.#change(async () => {
      const { turns, title } = this.#session;
      const at = this.#now();
      const added = turnSchema.parse({ ...turn, number: turns.length + 1, at });
      const bytes = this.#fit(added);
      const isFirst = title === '' && added.role === 'user';
      const change = { updatedAt: at, ...(isFirst && { title: titleOfMessage(added.text) }) };
      this.#parts.reach('session.before-commit');
      this.#expectHeld(await this.#parts.store.append(this.#lease, added, change));
      this.#parts.reach('session.after-commit');
      this.#bytes += bytes;
      this.#session = { ...this.#session, ...change, turns: [...turns, added] };
      this.#parts.mirror.writeSoon(this.#session);
      return added;
    });
  }

  async summarize(summary: { readonly text: string; readonly turn: number }): Promise<void> {
    const { maxSummaryLength } = this.#parts.limits;
    const text = summary.text.slice(0, maxSummaryLength);
    await this.#change(() => {
      const turn = Math.min(summary.turn, this.#session.turns.length);
      return turn < 1 ? Promise.resolve() : this.#amend({ summary: { text, turn } });
    });
  }

  /** Removes the words of turns for good. */
  async redact(turns: readonly number[]): Promise<void> {
    await this.#change(async () => {
      const redacted = await this.#parts.store.redact(this.#lease, turns);
      this.#expectHeld(redacted !== undefined);
      if (redacted) this.#adopt(redacted);
    });
  }

  async rename(title: string): Promise<void> {
    const cut = sessionTitle(title, this.#parts.limits.maxTitleLength);
    await this.#change(() => this.#amend({ title: cut }));
  }

  async task(): Promise<unknown> {
    const text = await this.#parts.store.readTask(this.#lease);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async saveTask(task: object): Promise<void> {
    const text = JSON.stringify(task);
    const { maxSessionBytes: max } = this.#parts.limits;
    if (Buffer.byteLength(text) > max) {
      throw new SessionFullError(this.id, { what: 'bytes', max });
    }
    await this.#change(async () => {
      this.#parts.reach('task.before-commit');
      this.#expectHeld(await this.#parts.store.writeTask(this.#lease, text));
      this.#parts.reach('task.after-commit');
    });
  }

  async close(): Promise<void> {
    await this.#writes.pass(async () => {
      if (this.#end !== undefined) return;
      const { mirror, store } = this.#parts;
      const isFileBehind = mirror.isPending(this.id);
      mirror.forget(this.id);
      this.#leave('it was closed', isFileBehind);
      // The process may die before it writes the file: then the next one finds the session abandoned.
      await (isFileBehind ? store.expire(this.#lease) : store.release(this.#lease));
    }, this.#forever);
  }

  #change<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#writes.pass(async () => {
      if (this.#end !== undefined) throw new SessionLostError(this.id, this.#end);
      return work();
    }, this.#forever);
  }

  async #amend(change: Omit<SessionChange, 'updatedAt'>): Promise<void> {
    const whole = { ...change, updatedAt: this.#now() };
    this.#expectHeld(await this.#parts.store.amend(this.#lease, whole));
    this.#adopt(whole);
  }

  #adopt(change: Partial<Session>): void {
    this.#session = { ...this.#session, ...change };
    this.#parts.mirror.write(this.#session);
  }

  /** The bytes of a turn, when there is room for it. */
  #fit(turn: Turn): number {
    const { maxTurnBytes, maxTurns, maxSessionBytes } = this.#parts.limits;
    const bytes = bytesOf(turn);
    if (bytes > maxTurnBytes) {
      throw new TurnTooLargeError(this.id, { bytes, maxBytes: maxTurnBytes });
    }
    if (turn.number > maxTurns)
      throw new SessionFullError(this.id, { what: 'turns', max: maxTurns });
    if (this.#bytes + bytes > maxSessionBytes) {
      throw new SessionFullError(this.id, { what: 'bytes', max: maxSessionBytes });
    }
    return bytes;
  }

  #expectHeld(isHeld: boolean): void {
    if (isHeld) return;
    const reason = 'another process has opened it since, because this one gave no sign of life';
    this.#parts.mirror.forget(this.id);
    this.#leave(reason);
    throw new SessionLostError(this.id, reason);
  }

  #leave(reason: string, isFileBehind = false): void {
    this.#end = reason;
    this.#stopRenewing();
    this.#parts.onClose(isFileBehind);
  }

  #renewLater(): () => void {
    const { timers, limits, store, log } = this.#parts;
    return timers.after(limits.leaseMs / renewalsPerLease, () => {
      // Whether it was lost shows at the next change, which says so to who made it.
      store.renew(this.#lease).catch((error: unknown) => {
        log.warn('failed to renew session lease', { session: this.id, error });
      });
      this.#stopRenewing = this.#renewLater();
    });
  }

  /** Never before the last change, whatever the clock does. */
  #now(): string {
    const last = Date.parse(this.#session.updatedAt);
    return new Date(Math.max(this.#parts.timers.now(), last)).toISOString();
  }
}

export function bytesOf(turn: Turn): number {
  return Buffer.byteLength(JSON.stringify(turn));
}

/** A title on one line, without what moves a cursor, cut to its limit. */
export function sessionTitle(text: string, maxLength: number): string {
  const line = text
    .slice(0, 10 * maxLength)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}

/** Title of an unnamed session: the beginning of its first message. */
function titleOfMessage(message: string): string {
  const [line = ''] = message.trim().split('\n', 1);
  return sessionTitle(line, usualTitleLength);
}

const usualTitleLength = 60;
