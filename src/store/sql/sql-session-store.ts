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
import { createFreeLease } from '../sqlite/run-leases.ts';
import { isoTime, readNumber } from '../sqlite/run-rows.ts';
import { insertItem } from './memory-rows.ts';
import type { KnownTurns } from './read-session.ts';
import { artifactLock, inheritMakersSql, releaseMakersSql } from './sql-artifact-index.ts';
import {
  all,
  one,
  type SqlDatabase,
  type SqlRow,
  type SqlWork,
  type SqlWrite,
} from './sql-database.ts';

const insertSql = `
  INSERT INTO sessions (session_id, caller_id, title, created_at_ms, updated_at_ms, forked_from,
                        forked_turn, summary, summary_turn, turn_count, folder)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING RETURNING session_id`;

const insertTurnSql = 'INSERT INTO session_turns (session_id, number, turn) VALUES ($1, $2, $3)';

const countSql = 'SELECT COUNT(*) AS count FROM sessions WHERE caller_id = $1';

const findSql = `
  SELECT session_id FROM sessions WHERE caller_id = $1 AND substr(session_id, 1, length($2)) = $2
  ORDER BY updated_at_ms DESC, id DESC LIMIT $3`;

const listSql = `
  SELECT * FROM sessions WHERE caller_id = $1 ORDER BY updated_at_ms DESC, id DESC LIMIT $2`;

const leasedSql = `
  SELECT * FROM sessions WHERE caller_id = $1 AND lease_owner IS NOT NULL
  ORDER BY updated_at_ms DESC LIMIT $2`;

const sessionSql = 'SELECT * FROM sessions WHERE session_id = $1 AND caller_id = $2';
const turnsSql = 'SELECT turn FROM session_turns WHERE session_id = $1 ORDER BY number';

const takeSql = `
  UPDATE sessions SET epoch = epoch + 1, lease_owner = $3, lease_pid = $4, lease_process_start = $5,
    lease_ms = $6, lease_since_ms = $7, lease_until_ms = CAST($6 AS BIGINT) + $7
  WHERE session_id = $1 AND epoch = $2`;

const isHeld = 'session_id = $1 AND epoch = $2 AND lease_owner IS NOT NULL';

const renewSql = `UPDATE sessions SET lease_until_ms = lease_ms + $3 WHERE ${isHeld} RETURNING epoch`;

const releaseSql = `UPDATE sessions SET lease_owner = NULL WHERE ${isHeld}`;

const expireSql = `UPDATE sessions SET lease_until_ms = 0 WHERE ${isHeld}`;

const changeSql = `
  UPDATE sessions SET lease_until_ms = lease_ms + $3, updated_at_ms = $4, title = COALESCE($5, title),
    summary = COALESCE($6, summary), summary_turn = COALESCE($7, summary_turn)
  WHERE ${isHeld} RETURNING epoch`;

const countTurnSql = `
  UPDATE sessions SET turn_count = $3 WHERE ${isHeld} AND turn_count + 1 = $3 RETURNING epoch`;

const taskSql = 'SELECT task FROM session_tasks WHERE session_id = $1';
const saveTaskSql = `
  INSERT INTO session_tasks (session_id, task) SELECT session_id, $3 FROM sessions WHERE ${isHeld}
  ON CONFLICT (session_id) DO UPDATE SET task = excluded.task`;

const heldSql = `SELECT * FROM sessions WHERE ${isHeld}`;
const callerOfSql = 'SELECT caller_id FROM sessions WHERE session_id = $1';
const rewriteTurnSql = 'UPDATE session_turns SET turn = $3 WHERE session_id = $1 AND number = $2';
const rewriteSql = `
  UPDATE sessions SET title = $3, summary = $4, summary_turn = $5 WHERE ${isHeld}`;
const dropItemSql = `
  DELETE FROM memory_items WHERE session_id = $1 AND turn = $2 AND kind = 'turn'`;
const releaseOneSql = 'DELETE FROM artifact_makers WHERE run_id = $1 AND artifact_id = $2';
const dropTaskSql = 'DELETE FROM session_tasks WHERE session_id = $1';

const removeSql = `DELETE FROM sessions WHERE ${isHeld} RETURNING caller_id`;

/** Only of a server: several machines share no other clock. */
const serverTimeSql = 'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now';

export interface SessionStoreOptions {
  /** The clock that leases of all processes go by; that of the database server when not given. */
  readonly leaseClock: Clock | undefined;
  /** Whether a process that had leases is certainly dead. */
  readonly isGone: (process: ProcessIdentity) => Promise<boolean>;
}

/** Keeps sessions: a row for each, and one for each turn. */
export class SqlSessionStore implements SessionStore {
  readonly #database: SqlDatabase;
  readonly #options: SessionStoreOptions;
  readonly #recent = new RecentTurns();

  constructor(database: SqlDatabase, options: SessionStoreOptions) {
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
    const about = [turns.length, session.folder ?? null] as const;
    const cells = [id, caller.id, title, ...times, ...forked, ...gist, ...about] as const;
    const locks = [`sessions ${caller.id}`, ...(forkedFrom ? [artifactLock] : [])];
    const durability = turns.length > 0 ? 'full' : 'normal';
    return this.#database.write({ locks, durability }, function* () {
      const count = yield* one(countSql, caller.id);
      if (count && readNumber(count, 'count') >= maxSessions) return 'full';
      if ((yield* all(insertSql, ...cells)).length === 0) return 'taken';
      for (const turn of turns) {
        yield* all(insertTurnSql, id, turn.number, JSON.stringify(turn));
        yield* insertItem(caller.id, itemOfTurn(id, turn));
      }
      // Its turns refer to texts that are kept for the other one.
      if (forkedFrom) yield* all(inheritMakersSql, id, caller.id, forkedFrom.session);
      return 'added';
    });
  }

  async find(caller: Caller, beginning: string, limit: number): Promise<readonly string[]> {
    const rows = await this.#database.rows(findSql, caller.id, beginning, limit);
    return rows.map((row) => String(row['session_id']));
  }

  async list(caller: Caller, limit: number): Promise<readonly SessionSummary[]> {
    const rows = await this.#database.rows(listSql, caller.id, limit);
    if (rows.length === 0) return [];
    const isFree = await this.#freeNow();
    const summaries: SessionSummary[] = [];
    for (const row of rows) summaries.push(readSessionSummary(row, !(await isFree(row))));
    return summaries;
  }

  async read(caller: Caller, id: string): Promise<Session | undefined> {
    if (!this.#database.exists) return undefined;
    const { path } = this.#database;
    const { readSession, readTurns } = await import('./read-session.ts');
    return this.#database.read(function* () {
      const row = yield* one(sessionSql, id, caller.id);
      return row && readSession(row, readTurns(yield* all(turnsSql, id), path).turns, path);
    });
  }

  async acquire(caller: Caller, id: string, owner: SessionOwner): Promise<Acquired> {
    const [seen] = await this.#database.rows(sessionSql, id, caller.id);
    if (!seen) return { kind: 'unknown' };
    const isFree = await this.#freeNow();
    if (!(await isFree(seen))) return { kind: 'busy', holder: readHolder(seen) };
    const { path } = this.#database;
    const { readSession, readTurns } = await import('./read-session.ts');
    const recent = this.#recent;
    const sinceMs = await this.#database.read(() => this.#readNow());
    return this.#write(id, 'normal', function* (): SqlWork<Acquired> {
      const row = yield* one(sessionSql, id, caller.id);
      if (!row) return { kind: 'unknown' };
      const epoch = readNumber(row, 'epoch');
      // A faster process has changed the epoch.
      if (epoch !== seen['epoch']) return { kind: 'busy', holder: readHolder(row) };
      const cells = [owner.id, owner.pid, owner.processStart, owner.leaseMs, sinceMs] as const;
      yield* all(takeSql, id, epoch, ...cells);
      const known = recent.of(id, row, owner) ?? readTurns(yield* all(turnsSql, id), path);
      const lease = { sessionId: id, epoch: epoch + 1 };
      // Should this not be committed after all, they belong to a lease that never existed.
      recent.begin(lease, sinceMs, known);
      return { kind: 'acquired', lease, session: readSession(row, known.turns, path) };
    });
  }

  renew({ sessionId, epoch }: SessionLease): Promise<boolean> {
    const readNow = (): SqlWork<number> => this.#readNow();
    return this.#write(sessionId, 'normal', function* () {
      return (yield* all(renewSql, sessionId, epoch, yield* readNow())).length > 0;
    });
  }

  async release({ sessionId, epoch }: SessionLease): Promise<void> {
    await this.#write(sessionId, 'normal', () => all(releaseSql, sessionId, epoch));
  }

  async expire({ sessionId, epoch }: SessionLease): Promise<void> {
    await this.#write(sessionId, 'normal', () => all(expireSql, sessionId, epoch));
  }

  async append(lease: SessionLease, turn: Turn, change: SessionChange): Promise<boolean> {
    const text = JSON.stringify(turn);
    // An answer survives the loss of power, and with it all that was said before. Until it is there a message
    // survives the death of every process; its effects are synced on their own.
    const durability = turn.role === 'assistant' ? 'full' : 'normal';
    const { sessionId, epoch } = lease;
    const changed = (): SqlWork<boolean> => this.#change(lease, change);
    const isAdded = await this.#write(sessionId, durability, function* () {
      const counted = yield* all(countTurnSql, sessionId, epoch, turn.number);
      if (counted.length === 0) return false;
      yield* changed();
      yield* all(insertTurnSql, sessionId, turn.number, text);
      const callerId = String((yield* one(callerOfSql, sessionId))?.['caller_id']);
      yield* insertItem(callerId, itemOfTurn(sessionId, turn));
      return true;
    });
    if (isAdded) this.#recent.add(lease, turn, text.length);
    return isAdded;
  }

  amend(lease: SessionLease, change: SessionChange): Promise<boolean> {
    return this.#write(lease.sessionId, 'normal', () => this.#change(lease, change));
  }

  async redact(
    { sessionId, epoch }: SessionLease,
    numbers: readonly number[],
  ): Promise<Session | undefined> {
    const { path } = this.#database;
    const { readSession, readTurns } = await import('./read-session.ts');
    this.#recent.forget(sessionId);
    return this.#database.write(forgetting(sessionId), function* () {
      const row = yield* one(heldSql, sessionId, epoch);
      if (!row) return undefined;
      const { turns } = readTurns(yield* all(turnsSql, sessionId), path);
      const session = readSession(row, turns, path);
      const redacted = withoutWords(session, numbers);
      for (const [index, turn] of redacted.turns.entries()) {
        const before = session.turns[index];
        if (turn === before) continue;
        yield* all(rewriteTurnSql, sessionId, turn.number, JSON.stringify(turn));
        yield* all(dropItemSql, sessionId, turn.number);
        for (const { artifact } of before?.remembered ?? []) {
          if (artifact !== undefined) yield* all(releaseOneSql, sessionId, artifact);
        }
      }
      const { title, summary } = redacted;
      const gist = [summary?.text ?? null, summary?.turn ?? null] as const;
      yield* all(rewriteSql, sessionId, epoch, title, ...gist);
      yield* all(dropTaskSql, sessionId);
      return redacted;
    });
  }

  remove({ sessionId, epoch }: SessionLease): Promise<boolean> {
    this.#recent.forget(sessionId);
    return this.#database.write(forgetting(sessionId), function* () {
      const removed = yield* one(removeSql, sessionId, epoch);
      if (!removed) return false;
      // With it goes what was given in it: the files are collected once nothing else refers to them.
      yield* all(releaseMakersSql, String(removed['caller_id']), sessionId);
      return true;
    });
  }

  async readTask({ sessionId }: SessionLease): Promise<string | undefined> {
    const [row] = await this.#database.rows(taskSql, sessionId);
    return row && String(row['task']);
  }

  writeTask({ sessionId, epoch }: SessionLease, task: string): Promise<boolean> {
    const readNow = (): SqlWork<number> => this.#readNow();
    return this.#write(sessionId, 'normal', function* () {
      const renewed = yield* all(renewSql, sessionId, epoch, yield* readNow());
      if (renewed.length === 0) return false;
      yield* all(saveTaskSql, sessionId, epoch, task);
      return true;
    });
  }

  async abandoned(caller: Caller, limit: number): Promise<readonly string[]> {
    const rows = await this.#database.rows(leasedSql, caller.id, limit);
    if (rows.length === 0) return [];
    const isFree = await this.#freeNow();
    const ids: string[] = [];
    for (const row of rows) if (await isFree(row)) ids.push(String(row['session_id']));
    return ids;
  }

  *#change(
    { sessionId, epoch }: SessionLease,
    { title, summary, updatedAt }: SessionChange,
  ): SqlWork<boolean> {
    const times = [yield* this.#readNow(), Date.parse(updatedAt)] as const;
    const cells = [title ?? null, summary?.text ?? null, summary?.turn ?? null] as const;
    return (yield* all(changeSql, sessionId, epoch, ...times, ...cells)).length > 0;
  }

  #write<Result>(
    sessionId: string,
    durability: 'normal' | 'full',
    work: () => SqlWork<Result>,
  ): Promise<Result> {
    return this.#database.write({ locks: [`session ${sessionId}`], durability }, work);
  }

  *#readNow(): SqlWork<number> {
    const { leaseClock } = this.#options;
    return leaseClock ? leaseClock.now() : Number((yield* one(serverTimeSql))?.['now']);
  }

  async #freeNow(): Promise<(row: SqlRow) => Promise<boolean>> {
    const nowMs = await this.#database.read(() => this.#readNow());
    return createFreeLease(this.#options.isGone, nowMs);
  }
}

function forgetting(sessionId: string): SqlWrite {
  const locks = [`session ${sessionId}`, artifactLock];
  return { locks, durability: 'full', overwrites: true };
}

function readSessionSummary(row: SqlRow, isOpen: boolean): SessionSummary {
  return {
    id: String(row['session_id']),
    title: String(row['title']),
    createdAt: isoTime(row, 'created_at_ms'),
    updatedAt: isoTime(row, 'updated_at_ms'),
    turns: readNumber(row, 'turn_count'),
    isOpen,
    ...(typeof row['folder'] === 'string' && { folder: row['folder'] }),
  };
}

function readHolder(row: SqlRow): SessionHolder {
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
  of(id: string, row: SqlRow, owner: SessionOwner): KnownTurns | undefined {
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
