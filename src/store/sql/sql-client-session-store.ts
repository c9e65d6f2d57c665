import {
  messageKeepMs,
  type ClientSessionFact,
  type ClientSessionStore,
  type RecordedFact,
} from '../../contract/client-session/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { all, one, type SqlDatabase, type SqlRow, type SqlWork } from './sql-database.ts';

const endedSql = `SELECT 1 AS ended FROM client_session_facts WHERE session_id = $1 AND kind = 'ended'`;

const addSql = `
  INSERT INTO client_session_facts (session_id, instance, kind, value, session_expires_at_ms, expires_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6)`;

const replaceLevelSql = `DELETE FROM client_session_facts WHERE session_id = $1 AND kind = 'log-level'`;

const replaceWatchSql = `
  DELETE FROM client_session_facts WHERE session_id = $1 AND kind IN ('watch', 'unwatch') AND value = $2`;

const forgetSql = 'DELETE FROM client_session_facts WHERE session_id = $1';

const pruneSql = `
  DELETE FROM client_session_facts WHERE sequence IN
    (SELECT sequence FROM client_session_facts WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2)`;

const ofSessionSql = `
  SELECT kind, value FROM client_session_facts
  WHERE session_id = $1 AND kind IN ('ended', 'log-level', 'watch') ORDER BY sequence`;

const lastSql = 'SELECT COALESCE(MAX(sequence), 0) AS last FROM client_session_facts';

const afterSql = `
  SELECT sequence, session_id, instance, kind, value, session_expires_at_ms FROM client_session_facts
  WHERE sequence > $1 ORDER BY sequence LIMIT $2`;

/** Outdated ones that one write removes. */
const pruneBatch = 100;

/** One writer after the other: `sequence` is the order of commits, so that no reader passes one by. */
const terms = { locks: ['client sessions'], durability: 'normal' } as const;

/** Keeps facts about client sessions for all instances that share a database. */
export class SqlClientSessionStore implements ClientSessionStore {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;

  constructor(database: SqlDatabase, { clock }: { readonly clock: Clock }) {
    this.#database = database;
    this.#clock = clock;
  }

  record({ sessionId, instance, expiresAtMs, fact }: RecordedFact): Promise<void> {
    const nowMs = Math.floor(this.#clock.now());
    const keepUntilMs = fact.kind === 'message' ? nowMs + messageKeepMs : expiresAtMs;
    const about = [fact.kind, valueOf(fact), expiresAtMs, keepUntilMs] as const;
    return this.#database.write(terms, function* (): SqlWork<void> {
      yield* all(pruneSql, nowMs, pruneBatch);
      if (yield* one(endedSql, sessionId)) return;
      yield* removeReplaced(sessionId, fact);
      yield* all(addSql, sessionId, instance, ...about);
    });
  }

  async factsOf(sessionId: string): Promise<readonly ClientSessionFact[]> {
    return (await this.#database.rows(ofSessionSql, sessionId)).map(readFact);
  }

  async factsAfter(after: string | undefined, limit: number) {
    if (after === undefined) {
      const [last] = await this.#database.rows(lastSql);
      return { facts: [], cursor: String(last?.['last'] ?? 0) };
    }
    const rows = await this.#database.rows(afterSql, Number(after), limit);
    const facts = rows.map((row) => ({
      sessionId: String(row['session_id']),
      instance: String(row['instance']),
      expiresAtMs: Number(row['session_expires_at_ms']),
      fact: readFact(row),
    }));
    return { facts, cursor: String(rows.at(-1)?.['sequence'] ?? after) };
  }
}

function* removeReplaced(sessionId: string, fact: ClientSessionFact): SqlWork<void> {
  switch (fact.kind) {
    case 'ended':
      yield* all(forgetSql, sessionId);
      return;
    case 'log-level':
      yield* all(replaceLevelSql, sessionId);
      return;
    case 'watch':
    case 'unwatch':
      yield* all(replaceWatchSql, sessionId, fact.uri);
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

function readFact(row: SqlRow): ClientSessionFact {
  const value = String(row['value']);
  switch (String(row['kind'])) {
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
