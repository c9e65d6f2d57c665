import { randomBytes, randomUUID } from 'node:crypto';
import type { Caller } from '../../contract/caller/index.ts';
import type {
  OpenSession,
  Session,
  Sessions,
  SessionSummary,
  Turn,
} from '../../contract/session/index.ts';
import {
  onceFor,
  ownIdentity,
  reportError,
  type FaultPoint,
  type Log,
  type Timers,
} from '../../kernel/index.ts';
import {
  AmbiguousSessionError,
  SessionBusyError,
  SessionLostError,
  TooManySessionsError,
  UnknownSessionError,
  UnknownTurnError,
} from '../errors.ts';
import type { MemoryLimits } from '../memory-limits.ts';
import type { Acquired, SessionLease, SessionOwner, SessionStore } from '../session-store.ts';
import { readImport, withoutSay } from './read-import.ts';
import { maxDelayMs, type SessionMirror } from './session-mirror.ts';
import { bytesOf, sessionTitle, StoredSession } from './stored-session.ts';

export interface SessionsParts {
  readonly store: SessionStore;
  /** The folder that new sessions belong to, which may change; without it they belong to none. */
  readonly place?: (() => Promise<string>) | undefined;
  readonly mirror: SessionMirror;
  readonly limits: MemoryLimits;
  readonly timers: Timers;
  readonly log: Log;
  readonly reach: FaultPoint;
}

/** Random ones of 48 bits that are all taken are no accident. */
const maxIdAttempts = 5;
/** Ids an ambiguous beginning is answered with. */
const maxNamed = 5;
/** Beyond this many callers the files of all are looked after again. */
const maxCallers = 1_000;
/** Files that are brought up to date after crashes, before the first session of a process opens. */
const maxRefreshed = 20;

export interface RedactableSessions extends Sessions {
  /** Removes the words of turns from the store and the file; throws `memory.session_busy`. */
  redact(caller: Caller, id: string, turns: readonly number[]): Promise<void>;
}

export function createSessions(parts: SessionsParts): RedactableSessions {
  return new StoredSessions(parts);
}

/** The sessions of a store, and those of them that this process has open. */
class StoredSessions implements RedactableSessions {
  readonly #parts: SessionsParts;
  readonly #open = new Set<StoredSession>();
  readonly #sizeOnce = onceFor((turn: Turn) => ({ bytes: bytesOf(turn) }));
  /** Callers whose files were looked after since this process started. */
  readonly #refreshed = new Map<string, Promise<void>>();
  /** Closed ones whose files are to be written, with their callers. */
  readonly #behind = new Map<string, Caller>();
  #isTimed = false;
  #owner: Promise<SessionOwner> | undefined;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  async create(caller: Caller, { title = '' }: { readonly title?: string } = {}) {
    await this.#refreshOnce(caller);
    const now = new Date(this.#parts.timers.now()).toISOString();
    return this.#add(caller, {
      version: 1,
      id: newSessionId(),
      title: sessionTitle(title, this.#parts.limits.maxTitleLength),
      createdAt: now,
      updatedAt: now,
      forkedFrom: null,
      ...(await this.#place()),
      summary: null,
      turns: [],
    });
  }

  async open(caller: Caller, id: string): Promise<OpenSession> {
    await this.#refreshOnce(caller);
    return this.#openExact(caller, await this.#resolve(caller, id));
  }

  list(caller: Caller, { limit }: { readonly limit: number }): Promise<readonly SessionSummary[]> {
    return this.#parts.store.list(caller, Math.min(limit, this.#parts.limits.maxSessions));
  }

  async show(caller: Caller, id: string): Promise<Session> {
    const found = await this.#parts.store.read(caller, await this.#resolve(caller, id));
    if (!found) throw new UnknownSessionError(id);
    return found;
  }

  async fork(
    caller: Caller,
    id: string,
    options: { readonly upToTurn?: number } = {},
  ): Promise<SessionSummary> {
    const from = await this.show(caller, id);
    const { upToTurn = from.turns.length } = options;
    if (!Number.isInteger(upToTurn) || upToTurn < 0 || upToTurn > from.turns.length) {
      throw new UnknownTurnError(from.id, { number: upToTurn, turns: from.turns.length });
    }
    const now = new Date(this.#parts.timers.now()).toISOString();
    const isSummaryKept = from.summary !== null && from.summary.turn <= upToTurn;
    return this.#addClosed(caller, {
      ...from,
      id: newSessionId(),
      createdAt: now,
      updatedAt: now,
      forkedFrom: { session: from.id, turn: upToTurn },
      summary: isSummaryKept ? from.summary : null,
      turns: from.turns.slice(0, upToTurn),
    });
  }

  async import(caller: Caller, data: unknown): Promise<SessionSummary> {
    const session = readImport(data, this.#parts.limits);
    // The file of a session that the store lost is not to be written over by another version of it.
    const isFree = isUsableId(session.id) && !(await this.#parts.mirror.isOther(session));
    // A clock that was fast would make it the last one for ever.
    const now = this.#parts.timers.now();
    const updatedAt = new Date(Math.min(Date.parse(session.updatedAt), now)).toISOString();
    const id = isFree ? session.id : newSessionId();
    const turns = withoutSay(session.turns);
    // A folder of another machine is none here.
    const { folder: _folder, ...imported } = { ...session, turns, id, updatedAt };
    return this.#addClosed(caller, { ...imported, ...(await this.#place()) });
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const { store, mirror } = this.#parts;
    const exact = await this.#resolve(caller, id);
    this.#behind.delete(exact);
    const { lease } = held(exact, await store.acquire(caller, exact, await this.#ownerOf()));
    // The file first: what dies in between leaves a session whose file comes back, not a file without one.
    try {
      await mirror.remove(exact);
    } catch (error) {
      await store.release(lease);
      throw error;
    }
    if (!(await store.remove(lease))) {
      throw new SessionLostError(exact, 'another process opened it meanwhile');
    }
  }

  async redact(caller: Caller, id: string, turns: readonly number[]): Promise<void> {
    const exact = await this.#resolve(caller, id);
    const here = [...this.#open].find((session) => session.id === exact);
    if (here) return here.redact(turns);
    const session = await this.#openExact(caller, exact);
    try {
      await session.redact(turns);
    } finally {
      await session.close();
    }
  }

  async close(): Promise<void> {
    for (const session of this.#open) {
      await session.close().catch((error: unknown) => {
        const { message } = reportError(error);
        this.#parts.log.warn('failed to close session', { session: session.id, message });
      });
    }
    await this.#writeBehind();
  }

  async #addClosed(caller: Caller, session: Session): Promise<SessionSummary> {
    const added = await this.#add(caller, session);
    await added.close();
    const { id, title, createdAt, updatedAt, turns, folder } = added.current();
    const summary = { id, title, createdAt, updatedAt, turns: turns.length, isOpen: false };
    return { ...summary, ...(folder !== undefined && { folder }) };
  }

  async #place(): Promise<{ readonly folder?: string }> {
    const folder = await this.#parts.place?.();
    return folder === undefined ? {} : { folder };
  }

  async #add(caller: Caller, session: Session): Promise<OpenSession> {
    const { store, limits } = this.#parts;
    let wanted = session;
    for (let attempt = 0; attempt < maxIdAttempts; attempt += 1) {
      const outcome = await store.add(caller, wanted, limits);
      if (outcome === 'full') throw new TooManySessionsError(limits.maxSessions);
      if (outcome === 'added') return this.#openExact(caller, wanted.id);
      wanted = { ...session, id: newSessionId() };
    }
    throw new Error('no free id was found for a session');
  }

  async #openExact(caller: Caller, id: string): Promise<StoredSession> {
    const acquired = await this.#parts.store.acquire(caller, id, await this.#ownerOf());
    const { session, lease } = held(id, acquired);
    const { mirror } = this.#parts;
    if (this.#behind.delete(id)) mirror.writeSoon(session);
    else await mirror.refresh(session);
    const opened: StoredSession = new StoredSession(session, lease, {
      ...this.#parts,
      sizeOf: this.#sizeOnce,
      onClose: (isFileBehind) => {
        this.#open.delete(opened);
        if (isFileBehind) this.#writeSoon(caller, id);
      },
    });
    this.#open.add(opened);
    return opened;
  }

  /** A conversation that goes on at once, as most do, needs no file in between. */
  #writeSoon(caller: Caller, id: string): void {
    this.#behind.set(id, caller);
    if (this.#isTimed) return;
    this.#isTimed = true;
    this.#parts.timers.after(maxDelayMs, () => {
      this.#isTimed = false;
      void this.#writeBehind();
    });
  }

  async #writeBehind(): Promise<void> {
    const behind = [...this.#behind];
    this.#behind.clear();
    for (const [id, caller] of behind) await this.#writeFiles(caller, [id]);
  }

  /** The exact id of what a user typed: an id, a unique beginning of one, `last`. */
  async #resolve(caller: Caller, id: string): Promise<string> {
    const { store } = this.#parts;
    if (id === 'last') return this.#last(caller);
    if (!isUsableId(id)) throw new UnknownSessionError(id);
    const found = await store.find(caller, id, maxNamed);
    const [only, ...others] = found;
    if (only === undefined) throw new UnknownSessionError(id);
    if (others.length === 0) return only;
    if (found.includes(id) || (await store.read(caller, id))) return id;
    throw new AmbiguousSessionError(id, found);
  }

  /** The latest changed of this folder, or of none. */
  async #last(caller: Caller): Promise<string> {
    const { store, place, limits } = this.#parts;
    const here = await place?.();
    const all = await store.list(caller, here === undefined ? 1 : limits.maxSessions);
    const last = all.find(({ folder = here }) => folder === here || here === undefined);
    if (last) return last.id;
    throw new UnknownSessionError('last', all[0]);
  }

  /** Who died may have left files behind their sessions. */
  #refreshOnce(caller: Caller): Promise<void> {
    if (this.#refreshed.size > maxCallers) this.#refreshed.clear();
    const running = this.#refreshed.get(caller.id) ?? this.#refreshLeft(caller);
    this.#refreshed.set(caller.id, running);
    return running;
  }

  async #refreshLeft(caller: Caller): Promise<void> {
    await this.#writeFiles(caller, await this.#parts.store.abandoned(caller, maxRefreshed));
  }

  /** Of those that are not open anywhere: opening one writes its file. */
  async #writeFiles(caller: Caller, ids: readonly string[]): Promise<void> {
    const { store, mirror, log } = this.#parts;
    try {
      for (const id of ids) {
        const acquired = await store.acquire(caller, id, await this.#ownerOf());
        if (acquired.kind !== 'acquired') continue;
        await mirror.refresh(acquired.session);
        await store.release(acquired.lease);
      }
    } catch (error) {
      const { message } = reportError(error);
      log.warn('failed to update session files', { message });
    }
  }

  #ownerOf(): Promise<SessionOwner> {
    this.#owner ??= ownIdentity().then((identity) => ({
      ...identity,
      id: randomUUID(),
      leaseMs: this.#parts.limits.leaseMs,
    }));
    return this.#owner;
  }
}

function held(id: string, acquired: Acquired): { session: Session; lease: SessionLease } {
  switch (acquired.kind) {
    case 'acquired':
      return acquired;
    case 'busy':
      throw new SessionBusyError(id, acquired.holder);
    case 'unknown':
      throw new UnknownSessionError(id);
  }
}

/** Random from its first digit on, so that few of them name it. */
function newSessionId(): string {
  return randomBytes(6).toString('hex');
}

/** Neither a word with a meaning of its own nor what a command line takes for an option. */
function isUsableId(id: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,63}$/.test(id) && id !== 'last';
}
