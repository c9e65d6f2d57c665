import type { Caller } from '../../contract/caller/index.ts';
import { itemOfTurn } from '../../contract/memory/index.ts';
import {
  withoutWords,
  type Session,
  type SessionSummary,
  type Turn,
} from '../../contract/session/index.ts';
import type { Clock, ProcessIdentity } from '../../kernel/index.ts';
import type {
  Acquired,
  SessionChange,
  SessionLease,
  SessionOwner,
  SessionStore,
  SessionHolder,
} from '../../memory/index.ts';
import { insertItem } from './memory-rows.ts';
import type { KnownTurns } from './read-session.ts';
import { createFreeLease } from './run-leases.ts';
import { readNumber, type Row, isoTime } from './run-rows.ts';
import { inheritMakersSql, releaseMakersSql } from './sqlite-artifact-index.ts';
import {
  overwriting,
  type Durability,
  type SqliteDatabase,
  type Statements,
} from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

const insertSql = `
  INSERT INTO sessions (session_id, caller_id, title, created_at_ms, updated_at_ms, forked_from,
                        forked_turn, summary, summary_turn, turn_count)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

const insertTurnSql = 'INSERT INTO session_turns (session_id, number, turn) VALUES (?, ?, ?)';

const countSql = 'SELECT COUNT(*) AS count FROM sessions WHERE caller_id = ?';

const findSql = `
  SELECT session_id FROM sessions WHERE caller_id = ?1 AND substr(session_id, 1, length(?2)) = ?2
  ORDER BY updated_at_ms DESC, id DESC LIMIT ?3`;

const listSql = `
  SELECT * FROM sessions WHERE caller_id = ? ORDER BY updated_at_ms DESC, id DESC LIMIT ?`;

const leasedSql = `
  SELECT * FROM sessions WHERE caller_id = ? AND lease_owner IS NOT NULL
  ORDER BY updated_at_ms DESC LIMIT ?`;

const sessionSql = 'SELECT * FROM sessions WHERE session_id = ? AND caller_id = ?';
const turnsSql = 'SELECT turn FROM session_turns WHERE session_id = ? ORDER BY number';

const takeSql = `
  UPDATE sessions SET epoch = epoch + 1, lease_owner = ?3, lease_pid = ?4, lease_process_start = ?5,
    lease_ms = ?6, lease_since_ms = ?7, lease_until_ms = ?6 + ?7
  WHERE session_id = ?1 AND epoch = ?2`;

const isHeld = 'session_id = ?1 AND epoch = ?2 AND lease_owner IS NOT NULL';

const renewSql = `UPDATE sessions SET lease_until_ms = lease_ms + ?3 WHERE ${isHeld}`;

const releaseSql = `UPDATE sessions SET lease_owner = NULL WHERE ${isHeld}`;

const expireSql = `UPDATE sessions SET lease_until_ms = 0 WHERE ${isHeld}`;

const changeSql = `
  UPDATE sessions SET lease_until_ms = lease_ms + ?3, updated_at_ms = ?4, title = COALESCE(?5, title),
    summary = COALESCE(?6, summary), summary_turn = COALESCE(?7, summary_turn)
  WHERE ${isHeld}`;

const countTurnSql = `
  UPDATE sessions SET turn_count = ?3 WHERE ${isHeld} AND turn_count = ?3 - 1`;

const taskSql = 'SELECT task FROM session_tasks WHERE session_id = ?';
const saveTaskSql = `
  INSERT INTO session_tasks (session_id, task) SELECT session_id, ?3 FROM sessions WHERE ${isHeld}
  ON CONFLICT DO UPDATE SET task = excluded.task`;

const heldSql = `SELECT * FROM sessions WHERE ${isHeld}`;
const callerOfSql = 'SELECT caller_id FROM sessions WHERE session_id = ?';
const rewriteTurnSql = 'UPDATE session_turns SET turn = ?3 WHERE session_id = ?1 AND number = ?2';
const rewriteSql = `
  UPDATE sessions SET title = ?3, summary = ?4, summary_turn = ?5 WHERE ${isHeld}`;
const dropItemSql = `
  DELETE FROM memory_items WHERE session_id = ? AND turn = ? AND kind = 'turn'`;
const releaseOneSql = 'DELETE FROM artifact_makers WHERE run_id = ? AND artifact_id = ?';
const dropTaskSql = 'DELETE FROM session_tasks WHERE session_id = ?';

const removeSql = `DELETE FROM sessions WHERE ${isHeld} RETURNING caller_id`;

interface SessionStoreOptions {
  readonly clock: Clock;
  /** Whether a process that had leases is certainly dead. */
  readonly isGone: (process: ProcessIdentity) => Promise<boolean>;
  /** How long a write waits for other processes in all, without blocking the event loop. */
  readonly patienceMs: number;
}

/** How long one try of a write waits, which it does while everything else stands still. */
const tryMs = 250;

/** Keeps sessions in SQLite: a row for each, and one for each turn. */
export class SqliteSessionStore implements SessionStore {
  readonly #database: SqliteDatabase;
  readonly #options: SessionStoreOptions;
  readonly #recent = new RecentTurns();

  constructor(database: SqliteDatabase, options: SessionStoreOptions) {
    this.#database = database;
    this.#options = options;
  }

  add(
    caller: Caller,
    session: Session,
    { maxSessions }: { readonly maxSessions: number },
  ): Promise<'added' | 'taken' | 'full'> {
    const { id, title, createdAt, updatedAt, forkedFrom, summary, turns } = session;
    const times = [Date.parse(createdAt), Date.parse(updatedAt)] as const;
    const forked = [forkedFrom?.session ?? null, forkedFrom?.turn ?? null] as const;
    const gist = [summary?.text ?? null, summary?.turn ?? null] as const;
    const cells = [id, caller.id, title, ...times, ...forked, ...gist, turns.length] as const;
    return this.#write(turns.length > 0 ? 'full' : 'normal', (statements) => {
      const count = statements(countSql).get(caller.id);
      if (count && readNumber(count, 'count') >= maxSessions) return 'full';
      if (statements(insertSql).run(...cells).changes === 0) return 'taken';
      for (const turn of turns) {
        statements(insertTurnSql).run(id, turn.number, JSON.stringify(turn));
        insertItem(statements, caller.id, itemOfTurn(id, turn));
      }
      // Its turns refer to texts that are kept for the other one.
      if (forkedFrom) statements(inheritMakersSql).run(id, caller.id, forkedFrom.session);
      return 'added';
    });
  }

  async find(caller: Caller, beginning: string, limit: number): Promise<readonly string[]> {
    // A read must not create the database.
    if (!this.#database.exists) return [];
    const rows = this.#database.readOne((statements) =>
      statements(findSql).all(caller.id, beginning, limit),
    );
    return rows.map((row) => String(row['session_id']));
  }

  async list(caller: Caller, limit: number): Promise<readonly SessionSummary[]> {
    if (!this.#database.exists) return [];
    const rows = this.#database.readOne((statements) => statements(listSql).all(caller.id, limit));
    const isFree = this.#freeNow();
    const summaries: SessionSummary[] = [];
    for (const row of rows) summaries.push(readSessionSummary(row, !(await isFree(row))));
    return summaries;
  }

  async read(caller: Caller, id: string): Promise<Session | undefined> {
    if (!this.#database.exists) return undefined;
    const { path } = this.#database.options;
    const { readSession, readTurns } = await import('./read-session.ts');
    return this.#database.read((statements) => {
      const row = statements(sessionSql).get(id, caller.id);
      return row && readSession(row, readTurns(statements(turnsSql).all(id), path).turns, path);
    });
  }

  async acquire(caller: Caller, id: string, owner: SessionOwner): Promise<Acquired> {
    if (!this.#database.exists) return { kind: 'unknown' };
    const seen = this.#database.readOne((statements) => statements(sessionSql).get(id, caller.id));
    if (!seen) return { kind: 'unknown' };
    const isFree = this.#freeNow();
    if (!(await isFree(seen))) return { kind: 'busy', holder: readHolder(seen) };
    const { path } = this.#database.options;
    const { readSession, readTurns } = await import('./read-session.ts');
    const sinceMs = this.#options.clock.now();
    return this.#write('normal', (statements): Acquired => {
      const row = statements(sessionSql).get(id, caller.id);
      if (!row) return { kind: 'unknown' };
      const epoch = readNumber(row, 'epoch');
      // A faster process has changed the epoch.
      if (epoch !== seen['epoch']) return { kind: 'busy', holder: readHolder(row) };
      const cells = [owner.id, owner.pid, owner.processStart, owner.leaseMs, sinceMs] as const;
      statements(takeSql).run(id, epoch, ...cells);
      const known =
        this.#recent.of(id, row, owner) ?? readTurns(statements(turnsSql).all(id), path);
      const lease = { sessionId: id, epoch: epoch + 1 };
      // Should this not be committed after all, they belong to a lease that never existed.
      this.#recent.begin(lease, sinceMs, known);
      return { kind: 'acquired', lease, session: readSession(row, known.turns, path) };
    });
  }

  renew({ sessionId, epoch }: SessionLease): Promise<boolean> {
    return this.#write('normal', (statements) => {
      const now = this.#options.clock.now();
      return statements(renewSql).run(sessionId, epoch, now).changes > 0;
    });
  }

  async release({ sessionId, epoch }: SessionLease): Promise<void> {
    await this.#write('normal', (statements) => statements(releaseSql).run(sessionId, epoch));
  }

  async expire({ sessionId, epoch }: SessionLease): Promise<void> {
    await this.#write('normal', (statements) => statements(expireSql).run(sessionId, epoch));
  }

  async append(lease: SessionLease, turn: Turn, change: SessionChange): Promise<boolean> {
    const text = JSON.stringify(turn);
    // An answer survives the loss of power, and with it all that was said before. Until it is there a message
    // survives the death of every process; its effects are synced on their own.
    const durability = turn.role === 'assistant' ? 'full' : 'normal';
    const { sessionId, epoch } = lease;
    const isAdded = await this.#write(durability, (statements) => {
      if (statements(countTurnSql).run(sessionId, epoch, turn.number).changes === 0) return false;
      this.#change(statements, lease, change);
      statements(insertTurnSql).run(sessionId, turn.number, text);
      const callerId = String(statements(callerOfSql).get(sessionId)?.['caller_id']);
      insertItem(statements, callerId, itemOfTurn(sessionId, turn));
      return true;
    });
    if (isAdded) this.#recent.add(lease, turn, text.length);
    return isAdded;
  }

  amend(lease: SessionLease, change: SessionChange): Promise<boolean> {
    return this.#write('normal', (statements) => this.#change(statements, lease, change));
  }

  async redact(
    { sessionId, epoch }: SessionLease,
    numbers: readonly number[],
  ): Promise<Session | undefined> {
    const { path } = this.#database.options;
    const { readSession, readTurns } = await import('./read-session.ts');
    return this.#write('full', (statements) =>
      overwriting(statements, () => {
        this.#recent.forget(sessionId);
        const row = statements(heldSql).get(sessionId, epoch);
        if (!row) return undefined;
        const { turns } = readTurns(statements(turnsSql).all(sessionId), path);
        const session = readSession(row, turns, path);
        const redacted = withoutWords(session, numbers);
        for (const [index, turn] of redacted.turns.entries()) {
          const before = session.turns[index];
          if (turn === before) continue;
          statements(rewriteTurnSql).run(sessionId, turn.number, JSON.stringify(turn));
          statements(dropItemSql).run(sessionId, turn.number);
          for (const { artifact } of before?.remembered ?? []) {
            if (artifact !== undefined) statements(releaseOneSql).run(sessionId, artifact);
          }
        }
        const { title, summary } = redacted;
        const gist = [summary?.text ?? null, summary?.turn ?? null] as const;
        statements(rewriteSql).run(sessionId, epoch, title, ...gist);
        statements(dropTaskSql).run(sessionId);
        return redacted;
      }),
    );
  }

  remove({ sessionId, epoch }: SessionLease): Promise<boolean> {
    return this.#write('full', (statements) =>
      overwriting(statements, () => {
        this.#recent.forget(sessionId);
        const removed = statements(removeSql).get(sessionId, epoch);
        if (!removed) return false;
        // With it goes what was given in it: the files are collected once nothing else refers to them.
        statements(releaseMakersSql).run(String(removed['caller_id']), sessionId);
        return true;
      }),
    );
  }

  async readTask({ sessionId }: SessionLease): Promise<string | undefined> {
    const row = this.#database.readOne((statements) => statements(taskSql).get(sessionId));
    return row && String(row['task']);
  }

  writeTask({ sessionId, epoch }: SessionLease, task: string): Promise<boolean> {
    return this.#write('normal', (statements) => {
      const now = this.#options.clock.now();
      if (statements(renewSql).run(sessionId, epoch, now).changes === 0) return false;
      statements(saveTaskSql).run(sessionId, epoch, task);
      return true;
    });
  }

  async abandoned(caller: Caller, limit: number): Promise<readonly string[]> {
    if (!this.#database.exists) return [];
    const rows = this.#database.readOne((statements) =>
      statements(leasedSql).all(caller.id, limit),
    );
    const isFree = this.#freeNow();
    const ids: string[] = [];
    for (const row of rows) if (await isFree(row)) ids.push(String(row['session_id']));
    return ids;
  }

  #change(
    statements: Statements,
    { sessionId, epoch }: SessionLease,
    { title, summary, updatedAt }: SessionChange,
  ): boolean {
    const now = this.#options.clock.now();
    const times = [now, Date.parse(updatedAt)] as const;
    const cells = [title ?? null, summary?.text ?? null, summary?.turn ?? null] as const;
    return statements(changeSql).run(sessionId, epoch, ...times, ...cells).changes > 0;
  }

  #write<Result>(
    durability: Durability,
    work: (statements: Statements) => Result,
  ): Promise<Result> {
    const terms = { durability, busyTimeoutMs: tryMs };
    return whileStoreBusy(this.#options.patienceMs, () => this.#database.write(terms, work));
  }

  #freeNow(): (row: Row) => Promise<boolean> {
    return createFreeLease(this.#options.isGone, this.#options.clock.now());
  }
}

function readSessionSummary(row: Row, isOpen: boolean): SessionSummary {
  return {
    id: String(row['session_id']),
    title: String(row['title']),
    createdAt: isoTime(row, 'created_at_ms'),
    updatedAt: isoTime(row, 'updated_at_ms'),
    turns: readNumber(row, 'turn_count'),
    isOpen,
  };
}

function readHolder(row: Row): SessionHolder {
  return { pid: readNumber(row, 'lease_pid'), since: isoTime(row, 'lease_since_ms') };
}

/** Sessions whose turns are kept, the one that was opened last last. */
const maxSessions = 8;
/** Characters of one session as JSON; longer ones are read each time. */
const maxLength = 4_194_304;

interface Kept extends KnownTurns {
  readonly epoch: number;
  readonly sinceMs: number;
}

/**
 * Turns as this process last knew them, for who goes on with a conversation: they need not be read again, and
 * what was found out about each is still known. Only the owner of its lease writes in a session, so where the last
 * lease was ours they are complete.
 */
class RecentTurns {
  readonly #kept = new Map<string, Kept>();

  /** Those of the session of this row, as it was before it is taken again; undefined when they have to be read. */
  of(id: string, row: Row, owner: SessionOwner): KnownTurns | undefined {
    const kept = this.#kept.get(id);
    const isOurs =
      kept?.epoch === row['epoch'] &&
      kept?.sinceMs === row['lease_since_ms'] &&
      owner.pid === row['lease_pid'] &&
      owner.processStart === row['lease_process_start'] &&
      kept?.turns.length === row['turn_count'];
    return isOurs ? kept : undefined;
  }

  /** The session is taken. */
  begin({ sessionId, epoch }: SessionLease, sinceMs: number, known: KnownTurns): void {
    this.#keep(sessionId, { ...known, epoch, sinceMs });
  }

  /** To be called after the commit. */
  add({ sessionId, epoch }: SessionLease, turn: Turn, length: number): void {
    const kept = this.#kept.get(sessionId);
    if (kept?.epoch !== epoch) return this.forget(sessionId);
    const turns = [...kept.turns, turn];
    this.#keep(sessionId, { ...kept, length: kept.length + length, turns });
  }

  forget(id: string): void {
    this.#kept.delete(id);
  }

  #keep(id: string, kept: Kept): void {
    this.#kept.delete(id);
    if (kept.length > maxLength) return;
    this.#kept.set(id, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxSessions && oldest !== undefined) this.#kept.delete(oldest);
  }
}
