import type { Caller } from '../contract/caller/index.ts';
import type { Session, SessionSummary, Turn } from '../contract/session/index.ts';
import type { ProcessIdentity } from '../kernel/index.ts';

/** Who wants to write in a session, and for how long it is theirs unless they say so again. */
export interface SessionOwner extends ProcessIdentity {
  readonly id: string;
  readonly leaseMs: number;
}

/** The right to write in a session; void as soon as another writer got one. */
export interface SessionLease {
  readonly sessionId: string;
  readonly epoch: number;
}

export interface SessionHolder {
  readonly pid: number;
  /** ISO 8601. */
  readonly since: string;
}

export type Acquired =
  | { readonly kind: 'acquired'; readonly lease: SessionLease; readonly session: Session }
  | { readonly kind: 'busy'; readonly holder: SessionHolder }
  | { readonly kind: 'unknown' };

/** What changes of a session beside its turns. */
export interface SessionChange {
  readonly title?: string;
  readonly summary?: NonNullable<Session['summary']>;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/**
 * Where sessions are kept. What it acknowledged survives the death of every process when it
 * answers; an answer of the assistant, and all before it, also the loss of power.
 *
 * 1. A caller sees its own sessions only; ids are unique among all.
 * 2. A session has one lease at most. One whose process is certainly gone, or whose time is up, is free.
 * 3. Who lost the lease changes nothing: `append`, `amend`, `remove` and `writeTask` then say false.
 */
export interface SessionStore {
  /** Keeps a whole session, or nothing: the id is taken, or the caller has as many as it may have. */
  add(
    caller: Caller,
    session: Session,
    limits: { readonly maxSessions: number },
  ): Promise<'added' | 'taken' | 'full'>;
  /** Ids that begin with this, of which `''` is every beginning; the latest changed first. */
  find(caller: Caller, beginning: string, limit: number): Promise<readonly string[]>;
  /** The latest changed first. */
  list(caller: Caller, limit: number): Promise<readonly SessionSummary[]>;
  read(caller: Caller, id: string): Promise<Session | undefined>;
  acquire(caller: Caller, id: string, owner: SessionOwner): Promise<Acquired>;
  renew(lease: SessionLease): Promise<boolean>;
  release(lease: SessionLease): Promise<void>;
  /** Anyone may have it from now on; until then, or until it is released, the session counts as abandoned. */
  expire(lease: SessionLease): Promise<void>;
  /** The turn's number is one above the last; renews the lease. */
  append(lease: SessionLease, turn: Turn, change: SessionChange): Promise<boolean>;
  amend(lease: SessionLease, change: SessionChange): Promise<boolean>;
  /** Removes the words of turns, and what was made of them, for good; undefined once the lease is lost. */
  redact(lease: SessionLease, turns: readonly number[]): Promise<Session | undefined>;
  remove(lease: SessionLease): Promise<boolean>;
  /** The unfinished task of the session, as it was written last. */
  readTask(lease: SessionLease): Promise<string | undefined>;
  /** Replaces it. False once the lease is lost. */
  writeTask(lease: SessionLease, task: string): Promise<boolean>;
  /** Ids of orphaned sessions: their owner ended without closing them, or let the lease expire. */
  abandoned(caller: Caller, limit: number): Promise<readonly string[]>;
}
