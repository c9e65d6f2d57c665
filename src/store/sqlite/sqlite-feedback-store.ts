import { feedbackKinds, type FeedbackEntry } from '../../contract/feedback/index.ts';
import type { FeedbackStore } from '../../memory/index.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

const removeSql = 'DELETE FROM feedback WHERE caller_id = ? AND kind = ? AND subject = ?';

const insertSql = `
  INSERT INTO feedback (caller_id, kind, subject, is_good, run_id, session_id, reason, given_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

const trimSql = `
  DELETE FROM feedback WHERE caller_id = ?1 AND id <=
    (SELECT id FROM feedback WHERE caller_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`;

const listSql = `
  SELECT kind, subject, is_good, run_id, session_id, reason, given_at_ms FROM feedback
  WHERE caller_id = ? ORDER BY given_at_ms DESC, id DESC LIMIT ?`;

/** Waiting blocks the event loop: only shortly per attempt. */
const terms = { durability: 'full', busyTimeoutMs: 250 } as const;

/** Keeps feedback of callers in SQLite. */
export class SqliteFeedbackStore implements FeedbackStore {
  readonly #database: SqliteDatabase;
  readonly #patienceMs: number;

  constructor(database: SqliteDatabase, { patienceMs }: { readonly patienceMs: number }) {
    this.#database = database;
    this.#patienceMs = patienceMs;
  }

  async put(callerId: string, entry: FeedbackEntry, maxCount: number): Promise<void> {
    const { kind, subject, isGood, runId, sessionId, reason, givenAt } = entry;
    const values = [Number(isGood), runId, sessionId, reason, Date.parse(givenAt)] as const;
    await whileStoreBusy(this.#patienceMs, () =>
      this.#database.write(terms, (statements) => {
        // A row anew, not changed: the latest is the youngest.
        statements(removeSql).run(callerId, kind, subject);
        statements(insertSql).run(callerId, kind, subject, ...values);
        statements(trimSql).run(callerId, maxCount);
      }),
    );
  }

  async list(callerId: string, limit: number): Promise<readonly FeedbackEntry[]> {
    // A read must not create the database.
    if (!this.#database.exists) return [];
    const rows = this.#database.readOne((statements) => statements(listSql).all(callerId, limit));
    return rows.map((row) => ({
      kind: feedbackKinds.find((kind) => kind === row['kind']) ?? 'opinion',
      subject: String(row['subject']),
      isGood: row['is_good'] === 1,
      runId: row['run_id'] === null ? null : String(row['run_id']),
      sessionId: row['session_id'] === null ? null : String(row['session_id']),
      reason: String(row['reason']),
      givenAt: new Date(Number(row['given_at_ms'])).toISOString(),
    }));
  }
}
