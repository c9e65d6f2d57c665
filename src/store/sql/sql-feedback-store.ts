import { feedbackKinds, type FeedbackEntry } from '../../contract/feedback/index.ts';
import type { FeedbackStore } from '../../memory/index.ts';
import { all, type SqlDatabase } from './sql-database.ts';

const removeSql = 'DELETE FROM feedback WHERE caller_id = $1 AND kind = $2 AND subject = $3';

const insertSql = `
  INSERT INTO feedback (caller_id, kind, subject, is_good, run_id, session_id, reason, given_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;

const trimSql = `
  DELETE FROM feedback WHERE caller_id = $1 AND id <=
    (SELECT id FROM feedback WHERE caller_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)`;

const listSql = `
  SELECT kind, subject, is_good, run_id, session_id, reason, given_at_ms FROM feedback
  WHERE caller_id = $1 ORDER BY given_at_ms DESC, id DESC LIMIT $2`;

/** Keeps feedback of callers. */
export class SqlFeedbackStore implements FeedbackStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async put(callerId: string, entry: FeedbackEntry, maxCount: number): Promise<void> {
    const { kind, subject, isGood, runId, sessionId, reason, givenAt } = entry;
    const values = [Number(isGood), runId, sessionId, reason, Date.parse(givenAt)] as const;
    const terms = { locks: [`feedback ${callerId}`], durability: 'full' } as const;
    await this.#database.write(terms, function* () {
      // A row anew, not changed: the latest is the youngest.
      yield* all(removeSql, callerId, kind, subject);
      yield* all(insertSql, callerId, kind, subject, ...values);
      yield* all(trimSql, callerId, maxCount);
    });
  }

  async list(callerId: string, limit: number): Promise<readonly FeedbackEntry[]> {
    const rows = await this.#database.rows(listSql, callerId, limit);
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
