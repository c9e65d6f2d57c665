import type { Caller } from '../../contract/caller/index.ts';
import type {
  ExperienceStore,
  FixRecord,
  FixUse,
  LearnedFix,
  StoredFailure,
} from '../../memory/index.ts';
import { all, one, type SqlDatabase, type SqlRow, type SqlWork } from './sql-database.ts';

const columns = 'record, cured_by, cured_at_ms';
const latest = 'ORDER BY id DESC';
const findSql = `SELECT ${columns} FROM failures WHERE caller_id = $1 AND substr(failure_id, 1, length($2)) = $2 LIMIT 2`;
const ofRunSql = `SELECT ${columns} FROM failures WHERE caller_id = $1 AND run_id = $2 ${latest} LIMIT 1000`;
const listSql = `SELECT ${columns} FROM failures WHERE caller_id = $1 ${latest} LIMIT $2`;
const openSql = `
  SELECT ${columns} FROM failures WHERE caller_id = $1 AND target = $2 AND cured_at_ms IS NULL ${latest} LIMIT $3`;
const openTargetsSql = `
  SELECT DISTINCT target FROM failures WHERE caller_id = $1 AND cured_at_ms IS NULL
  ORDER BY target LIMIT $2`;
const seenSql = `
  SELECT COUNT(*) AS count, MAX(at_ms) AS last_at_ms FROM failures WHERE caller_id = $1 AND signature = $2`;
const insertSql = `
  INSERT INTO failures (failure_id, caller_id, at_ms, target, signature, run_id, record)
  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`;
const trimSql = `
  DELETE FROM failures WHERE caller_id = $1 AND id < (
    SELECT id FROM failures WHERE caller_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)`;
const recordSql = `
  SELECT record FROM failures WHERE caller_id = $1 AND failure_id = $2 AND cured_at_ms IS NULL`;
const changeRecordSql = 'UPDATE failures SET record = $1 WHERE caller_id = $2 AND failure_id = $3';
const settleSql = `
  UPDATE failures SET cured_by = $1, cured_at_ms = $2 WHERE caller_id = $3 AND target = $4 AND cured_at_ms IS NULL`;
const fixColumns = 'fix_id, signature, subject, normalised, changes';
const fixSql = `SELECT ${fixColumns} FROM learned_fixes WHERE caller_id = $1 AND fix_id = $2`;
const fixesSql = `
  SELECT ${fixColumns} FROM learned_fixes
  WHERE caller_id = $1 AND (CAST($2 AS TEXT) IS NULL OR signature = $2)
    AND (CAST($3 AS TEXT) IS NULL OR subject = $3)
  ORDER BY created_at_ms DESC, fix_id LIMIT $4`;
const addFixSql = `
  INSERT INTO learned_fixes (caller_id, fix_id, signature, subject, normalised, changes, created_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`;
const trimFixesSql = `
  DELETE FROM learned_fixes WHERE caller_id = $1 AND fix_id NOT IN (
    SELECT fix_id FROM learned_fixes WHERE caller_id = $1 ORDER BY created_at_ms DESC, fix_id LIMIT $2)`;
const approveSql =
  'INSERT INTO approved_fixes (caller_id, fix_id) VALUES ($1, $2) ON CONFLICT DO NOTHING';
const disapproveSql = 'DELETE FROM approved_fixes WHERE caller_id = $1 AND fix_id = $2';
const isApprovedSql = 'SELECT 1 FROM approved_fixes WHERE caller_id = $1 AND fix_id = $2';
const addUseSql = `
  INSERT INTO fix_uses (caller_id, fix_id, failure_id, at_ms, is_cured) VALUES ($1, $2, $3, $4, $5)`;
const trimUsesSql = `
  DELETE FROM fix_uses WHERE caller_id = $1 AND fix_id = $2 AND id < (
    SELECT id FROM fix_uses WHERE caller_id = $1 AND fix_id = $2 ORDER BY id DESC LIMIT 1 OFFSET $3)`;
const usesSql = `
  SELECT fix_id, failure_id, at_ms, is_cured FROM fix_uses WHERE caller_id = $1 AND fix_id = $2
  ORDER BY id DESC LIMIT $3`;
const totalsSql = `
  SELECT COUNT(*) AS uses, COALESCE(SUM(is_cured), 0) AS cures FROM fix_uses WHERE caller_id = $1 AND fix_id = $2`;
const usedSql = `
  SELECT fix_id FROM fix_uses WHERE caller_id = $1 GROUP BY fix_id ORDER BY MAX(id) DESC LIMIT $2`;

/** Of one failure, the latest. */
const maxSuggested = 50;

const noRecord: FixRecord = { uses: [], isApproved: false, totals: { uses: 0, cures: 0 } };

/** Keeps failures and what cured them. */
export class SqlExperienceStore implements ExperienceStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async addFailure(caller: Caller, failure: StoredFailure, maxFailures: number): Promise<void> {
    const { id, at, target, signature, runId } = failure;
    const record = JSON.stringify(failure);
    await this.#write(caller, function* () {
      yield* all(insertSql, id, caller.id, Date.parse(at), target, signature, runId, record);
      yield* all(trimSql, caller.id, maxFailures - 1);
    });
  }

  async find(caller: Caller, id: string): Promise<StoredFailure | undefined> {
    const found = (await this.#database.rows(findSql, caller.id, id)).map(failureOf);
    return found.length === 1 ? found[0] : undefined;
  }

  async ofRun(caller: Caller, runId: string): Promise<readonly StoredFailure[]> {
    return (await this.#database.rows(ofRunSql, caller.id, runId)).map(failureOf);
  }

  async list(caller: Caller, limit: number): Promise<readonly StoredFailure[]> {
    return (await this.#database.rows(listSql, caller.id, limit)).map(failureOf);
  }

  async open(caller: Caller, target: string, limit: number): Promise<readonly StoredFailure[]> {
    const rows = await this.#database.rows(openSql, caller.id, target, limit);
    return rows.map(failureOf);
  }

  async openTargets(caller: Caller, limit: number): Promise<readonly string[]> {
    const rows = await this.#database.rows(openTargetsSql, caller.id, limit);
    return rows.map((row) => String(row['target']));
  }

  async seen(
    caller: Caller,
    signature: string,
  ): Promise<{ readonly count: number; readonly lastAt: string | null }> {
    const [row] = await this.#database.rows(seenSql, caller.id, signature);
    const last = row?.['last_at_ms'];
    return { count: Number(row?.['count'] ?? 0), lastAt: last == null ? null : timeOf(last) };
  }

  async noteSuggested(caller: Caller, failureId: string, fixIds: readonly string[]): Promise<void> {
    await this.#write(caller, function* () {
      const row = yield* one(recordSql, caller.id, failureId);
      if (!row) return;
      const failure = failureOf(row);
      const suggested = [...new Set([...(failure.suggested ?? []), ...fixIds])].slice(
        -maxSuggested,
      );
      const record = JSON.stringify({ ...failure, suggested });
      yield* all(changeRecordSql, record, caller.id, failureId);
    });
  }

  async settle(
    caller: Caller,
    target: string,
    { fixId, at }: { readonly fixId: string; readonly at: string },
  ): Promise<void> {
    await this.#write(caller, () => all(settleSql, fixId, Date.parse(at), caller.id, target));
  }

  async addFix(
    caller: Caller,
    fix: LearnedFix,
    { atMs, maxFixes }: { readonly atMs: number; readonly maxFixes: number },
  ): Promise<void> {
    const { id, signature, subject, normalised, changes } = fix;
    const written = JSON.stringify(changes);
    await this.#write(caller, function* () {
      yield* all(addFixSql, caller.id, id, signature, subject, normalised, written, atMs);
      yield* all(trimFixesSql, caller.id, maxFixes);
    });
  }

  async approve(caller: Caller, fixId: string, isApproved: boolean): Promise<void> {
    await this.#write(caller, () => all(isApproved ? approveSql : disapproveSql, caller.id, fixId));
  }

  async fix(caller: Caller, fixId: string): Promise<LearnedFix | undefined> {
    return (await this.#database.rows(fixSql, caller.id, fixId)).map(fixOf)[0];
  }

  async fixes(
    caller: Caller,
    { signature, subject }: { readonly signature?: string; readonly subject?: string },
    limit: number,
  ): Promise<readonly LearnedFix[]> {
    const rows = await this.#database.rows(
      fixesSql,
      caller.id,
      signature ?? null,
      subject ?? null,
      limit,
    );
    return rows.map(fixOf);
  }

  async addUse(caller: Caller, use: FixUse, maxUses: number): Promise<void> {
    const { fixId, failureId, atMs, isCured } = use;
    await this.#write(caller, function* () {
      yield* all(addUseSql, caller.id, fixId, failureId, atMs, Number(isCured));
      yield* all(trimUsesSql, caller.id, fixId, maxUses - 1);
    });
  }

  async record(caller: Caller, fixId: string, maxUses: number): Promise<FixRecord> {
    if (!this.#database.exists) return noRecord;
    return this.#database.read(function* () {
      const totals = yield* one(totalsSql, caller.id, fixId);
      return {
        uses: (yield* all(usesSql, caller.id, fixId, maxUses)).map(useOf),
        isApproved: (yield* one(isApprovedSql, caller.id, fixId)) !== undefined,
        totals: { uses: Number(totals?.['uses']), cures: Number(totals?.['cures']) },
      };
    });
  }

  async used(caller: Caller, limit: number): Promise<readonly string[]> {
    const rows = await this.#database.rows(usedSql, caller.id, limit);
    return rows.map((row) => String(row['fix_id']));
  }

  #write<Result>(caller: Caller, work: () => SqlWork<Result>): Promise<Result> {
    return this.#database.write({ locks: [`experience ${caller.id}`], durability: 'normal' }, work);
  }
}

function failureOf(row: SqlRow): StoredFailure {
  // Written by `addFailure`.
  const failure = JSON.parse(String(row['record'])) as StoredFailure;
  if (row['cured_by'] == null) return failure;
  return { ...failure, curedBy: String(row['cured_by']), curedAt: timeOf(row['cured_at_ms']) };
}

function fixOf(row: SqlRow): LearnedFix {
  return {
    id: String(row['fix_id']),
    signature: String(row['signature']),
    subject: String(row['subject']),
    normalised: String(row['normalised']),
    // Written by `addFix`.
    changes: JSON.parse(String(row['changes'])) as LearnedFix['changes'],
  };
}

function useOf(row: SqlRow): FixUse {
  const failureId = row['failure_id'];
  return {
    fixId: String(row['fix_id']),
    failureId: failureId == null ? null : String(failureId),
    atMs: Number(row['at_ms']),
    isCured: row['is_cured'] === 1,
  };
}

function timeOf(ms: unknown): string {
  return new Date(Number(ms)).toISOString();
}
