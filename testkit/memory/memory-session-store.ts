import type { Caller } from '../../src/contract/caller/index.ts';
import {
  withoutWords,
  type Session,
  type SessionSummary,
  type Turn,
} from '../../src/contract/session/index.ts';
import type { Clock, ProcessIdentity } from '../../src/kernel/index.ts';
import type {
  Acquired,
  SessionChange,
  SessionLease,
  SessionOwner,
  SessionStore,
} from '../../src/memory/session-store.ts';

interface Kept {
  readonly callerId: string;
  session: Session;
  epoch: number;
  task?: string;
  held: { readonly owner: SessionOwner; readonly sinceMs: number; untilMs: number } | undefined;
}

export interface MemorySessionStoreOptions {
  readonly clock: Clock;
  readonly isGone: (process: ProcessIdentity) => Promise<boolean>;
}

/** Keeps sessions as long as it lives itself. */
export class MemorySessionStore implements SessionStore {
  readonly #options: MemorySessionStoreOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(options: MemorySessionStoreOptions) {
    this.#options = options;
  }

  async add(
    caller: Caller,
    session: Session,
    { maxSessions }: { readonly maxSessions: number },
  ): Promise<'added' | 'taken' | 'full'> {
    if (this.#of(caller).length >= maxSessions) return 'full';
    if (this.#kept.has(session.id)) return 'taken';
    const kept = { callerId: caller.id, session: structuredClone(session), epoch: 0 };
    this.#kept.set(session.id, { ...kept, held: undefined });
    return 'added';
  }

  async find(caller: Caller, beginning: string, limit: number): Promise<readonly string[]> {
    const ids = this.#of(caller).map(({ session }) => session.id);
    return ids.filter((id) => id.startsWith(beginning)).slice(0, limit);
  }

  async list(caller: Caller, limit: number): Promise<readonly SessionSummary[]> {
    const summaries: SessionSummary[] = [];
    for (const kept of this.#of(caller).slice(0, limit)) {
      const { id, title, createdAt, updatedAt, turns, folder } = kept.session;
      const isOpen = !(await this.#isFree(kept));
      const summary = { id, title, createdAt, updatedAt, turns: turns.length, isOpen };
      summaries.push({ ...summary, ...(folder !== undefined && { folder }) });
    }
    return summaries;
  }

  async read(caller: Caller, id: string): Promise<Session | undefined> {
    return this.#of(caller).find(({ session }) => session.id === id)?.session;
  }

  async acquire(caller: Caller, id: string, owner: SessionOwner): Promise<Acquired> {
    const kept = this.#of(caller).find(({ session }) => session.id === id);
    if (!kept) return { kind: 'unknown' };
    const { held } = kept;
    if (held && !(await this.#isFree(kept))) {
      const since = new Date(held.sinceMs).toISOString();
      return { kind: 'busy', holder: { pid: held.owner.pid, since } };
    }
    const now = this.#options.clock.now();
    kept.epoch += 1;
    kept.held = { owner, sinceMs: now, untilMs: now + owner.leaseMs };
    const lease = { sessionId: id, epoch: kept.epoch };
    return { kind: 'acquired', lease, session: kept.session };
  }

  async renew(lease: SessionLease): Promise<boolean> {
    const held = this.#heldBy(lease)?.held;
    if (!held) return false;
    held.untilMs = this.#options.clock.now() + held.owner.leaseMs;
    return true;
  }

  async release(lease: SessionLease): Promise<void> {
    const kept = this.#heldBy(lease);
    if (kept) kept.held = undefined;
  }

  async expire(lease: SessionLease): Promise<void> {
    const held = this.#heldBy(lease)?.held;
    if (held) held.untilMs = 0;
  }

  async append(lease: SessionLease, turn: Turn, change: SessionChange): Promise<boolean> {
    const kept = this.#heldBy(lease);
    if (!kept || turn.number !== kept.session.turns.length + 1) return false;
    kept.session = { ...kept.session, turns: [...kept.session.turns, structuredClone(turn)] };
    return this.amend(lease, change);
  }

  async amend(lease: SessionLease, change: SessionChange): Promise<boolean> {
    const kept = this.#heldBy(lease);
    if (!kept) return false;
    kept.session = { ...kept.session, ...change };
    return this.renew(lease);
  }

  async redact(lease: SessionLease, turns: readonly number[]): Promise<Session | undefined> {
    const kept = this.#heldBy(lease);
    if (!kept) return undefined;
    kept.session = withoutWords(kept.session, turns);
    delete kept.task;
    return kept.session;
  }

  async remove(lease: SessionLease): Promise<boolean> {
    return this.#heldBy(lease) !== undefined && this.#kept.delete(lease.sessionId);
  }

  async readTask(lease: SessionLease): Promise<string | undefined> {
    return this.#heldBy(lease)?.task;
  }

  async writeTask(lease: SessionLease, task: string): Promise<boolean> {
    const kept = this.#heldBy(lease);
    if (!kept) return false;
    kept.task = task;
    return true;
  }

  async abandoned(caller: Caller, limit: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const kept of this.#of(caller)) {
      if (kept.held && (await this.#isFree(kept))) ids.push(kept.session.id);
    }
    return ids.slice(0, limit);
  }

  #of(caller: Caller): Kept[] {
    return [...this.#kept.values()]
      .filter(({ callerId }) => callerId === caller.id)
      .toReversed()
      .sort((a, b) => b.session.updatedAt.localeCompare(a.session.updatedAt));
  }

  #heldBy({ sessionId, epoch }: SessionLease): Kept | undefined {
    const kept = this.#kept.get(sessionId);
    return kept?.epoch === epoch && kept.held ? kept : undefined;
  }

  async #isFree({ held }: Kept): Promise<boolean> {
    if (!held || held.untilMs <= this.#options.clock.now()) return true;
    return this.#options.isGone(held.owner);
  }
}
