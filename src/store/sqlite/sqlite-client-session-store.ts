import {
  messageKeepMs,
  type ClientSessionFact,
  type ClientSessionStore,
  type RecordedFact,
} from '../../contract/client-session/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

const endedSql = `SELECT 1 FROM client_session_facts WHERE session_id = ? AND kind = 'ended'`;

const addSql = `
  INSERT INTO client_session_facts (session_id, instance, kind, value, session_expires_at_ms, expires_at_ms)
  VALUES (?, ?, ?, ?, ?, ?)`;

const replaceLevelSql = `DELETE FROM client_session_facts WHERE session_id = ? AND kind = 'log-level'`;

const replaceWatchSql = `
  DELETE FROM client_session_facts WHERE session_id = ? AND kind IN ('watch', 'unwatch') AND value = ?`;

const forgetSql = 'DELETE FROM client_session_facts WHERE session_id = ?';

const pruneSql = `
  DELETE FROM client_session_facts WHERE sequence IN
    (SELECT sequence FROM client_session_facts WHERE expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?)`;

const ofSessionSql = `
  SELECT kind, value FROM client_session_facts
  WHERE session_id = ? AND kind IN ('ended', 'log-level', 'watch') ORDER BY sequence`;

const lastSql = `SELECT seq FROM sqlite_sequence WHERE name = 'client_session_facts'`;

const afterSql = `
  SELECT sequence, session_id, instance, kind, value, session_expires_at_ms FROM client_session_facts
  WHERE sequence > ? ORDER BY sequence LIMIT ?`;

/** Outdated ones that one write removes. */
const pruneBatch = 100;
/** Waiting blocks the event loop: only shortly per attempt. */
const terms = { durability: 'normal', busyTimeoutMs: 250 } as const;

interface ClientSessionStoreOptions {
  readonly clock: Clock;
  readonly patienceMs: number;
}

/** Keeps facts about client sessions in SQLite, whose writers take turns: sequence is the order of commits. */
export class SqliteClientSessionStore implements ClientSessionStore {
  readonly #database: SqliteDatabase;
  readonly #options: ClientSessionStoreOptions;

  constructor(database: SqliteDatabase, options: ClientSessionStoreOptions) {
    this.#database = database;
    this.#options = options;
  }

  record({ sessionId, instance, expiresAtMs, fact }: RecordedFact): Promise<void> {
    const { clock, patienceMs } = this.#options;
    const nowMs = Math.floor(clock.now());
    const keepUntilMs = fact.kind === 'message' ? nowMs + messageKeepMs : expiresAtMs;
    const work = (statements: Statements): void => {
      statements(pruneSql).run(nowMs, pruneBatch);
      if (statements(endedSql).get(sessionId)) return;
      removeReplaced(statements, sessionId, fact);
      const { kind } = fact;
      const value = valueOf(fact);
      statements(addSql).run(sessionId, instance, kind, value, expiresAtMs, keepUntilMs);
    };
    return whileStoreBusy(patienceMs, () => this.#database.write(terms, work));
  }

  async factsOf(sessionId: string): Promise<readonly ClientSessionFact[]> {
    // A read must not create the database.
    if (!this.#database.exists) return [];
    const rows = this.#database.readOne((statements) => statements(ofSessionSql).all(sessionId));
    return rows.map(readFact);
  }

  async factsAfter(after: string | undefined, limit: number) {
    if (!this.#database.exists) return { facts: [], cursor: after ?? '0' };
    if (after === undefined) {
      const last = this.#database.readOne((statements) => statements(lastSql).get());
      return { facts: [], cursor: String(last?.['seq'] ?? 0) };
    }
    const rows = this.#database.readOne((statements) =>
      statements(afterSql).all(Number(after), limit),
    );
    const facts = rows.map((row) => ({
      sessionId: String(row['session_id']),
      instance: String(row['instance']),
      expiresAtMs: Number(row['session_expires_at_ms']),
      fact: readFact(row),
    }));
    return { facts, cursor: String(rows.at(-1)?.['sequence'] ?? after) };
  }
}

function removeReplaced(statements: Statements, sessionId: string, fact: ClientSessionFact): void {
  switch (fact.kind) {
    case 'ended':
      statements(forgetSql).run(sessionId);
      return;
    case 'log-level':
      statements(replaceLevelSql).run(sessionId);
      return;
    case 'watch':
    case 'unwatch':
      statements(replaceWatchSql).run(sessionId, fact.uri);
      return;
    case 'message':
  }
}

function valueOf(fact: ClientSessionFact): string {
  switch (fact.kind) {
    case 'ended':
      return '';
    case 'log-level':
      return fact.level;
    case 'watch':
    case 'unwatch':
      return fact.uri;
    case 'message':
      return fact.text;
  }
}

function readFact(row: Readonly<Record<string, unknown>>): ClientSessionFact {
  const value = String(row['value']);
  switch (row['kind']) {
    case 'log-level':
      return { kind: 'log-level', level: value };
    case 'watch':
      return { kind: 'watch', uri: value };
    case 'unwatch':
      return { kind: 'unwatch', uri: value };
    case 'message':
      return { kind: 'message', text: value };
    default:
      // Of a later program, too: what it means is unknown, and nothing is served where that is so.
      return { kind: 'ended' };
  }
}
