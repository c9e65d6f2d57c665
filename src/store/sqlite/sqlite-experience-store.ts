import type { SQLOutputValue } from 'node:sqlite';
import type { Caller } from '../../contract/caller/index.ts';
import type {
  ExperienceStore,
  FixRecord,
  FixUse,
  LearnedFix,
  StoredFailure,
} from '../../memory/index.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

type Row = Readonly<Record<string, SQLOutputValue>>;

const columns = 'record, cured_by, cured_at_ms';
const latest = 'ORDER BY id DESC';
const findSql = `SELECT ${columns} FROM failures WHERE caller_id = ? AND substr(failure_id, 1, length(?2)) = ?2 LIMIT 2`;
const ofRunSql = `SELECT ${columns} FROM failures WHERE caller_id = ? AND run_id = ? ${latest} LIMIT 1000`;
const listSql = `SELECT ${columns} FROM failures WHERE caller_id = ? ${latest} LIMIT ?`;
const openSql = `
  SELECT ${columns} FROM failures WHERE caller_id = ? AND target = ? AND cured_at_ms IS NULL ${latest} LIMIT ?`;
const openTargetsSql = `
  SELECT DISTINCT target FROM failures WHERE caller_id = ? AND cured_at_ms IS NULL LIMIT ?`;
const seenSql = `
  SELECT COUNT(*) AS count, MAX(at_ms) AS last_at_ms FROM failures WHERE caller_id = ? AND signature = ?`;
const insertSql = `
  INSERT OR IGNORE INTO failures (failure_id, caller_id, at_ms, target, signature, run_id, record)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const trimSql = `
  DELETE FROM failures WHERE caller_id = ?1 AND id < (
    SELECT id FROM failures WHERE caller_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`;
const settleSql = `
  UPDATE failures SET cured_by = ?, cured_at_ms = ? WHERE caller_id = ? AND target = ? AND cured_at_ms IS NULL`;
const fixColumns = 'fix_id, signature, subject, normalised, changes';
const fixSql = `SELECT ${fixColumns} FROM learned_fixes WHERE caller_id = ? AND fix_id = ?`;
const fixesSql = `
  SELECT ${fixColumns} FROM learned_fixes
  WHERE caller_id = ?1 AND (?2 IS NULL OR signature = ?2) AND (?3 IS NULL OR subject = ?3)
  ORDER BY created_at_ms DESC LIMIT ?4`;
const addFixSql = `
  INSERT OR IGNORE INTO learned_fixes (caller_id, fix_id, signature, subject, normalised, changes, created_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const trimFixesSql = `
  DELETE FROM learned_fixes WHERE caller_id = ?1 AND fix_id NOT IN (
    SELECT fix_id FROM learned_fixes WHERE caller_id = ?1 ORDER BY created_at_ms DESC LIMIT ?2)`;
const approveSql = 'INSERT OR IGNORE INTO approved_fixes (caller_id, fix_id) VALUES (?, ?)';
const disapproveSql = 'DELETE FROM approved_fixes WHERE caller_id = ? AND fix_id = ?';
const isApprovedSql = 'SELECT 1 FROM approved_fixes WHERE caller_id = ? AND fix_id = ?';
const addUseSql = `
  INSERT INTO fix_uses (caller_id, fix_id, failure_id, at_ms, is_cured) VALUES (?, ?, ?, ?, ?)`;
const trimUsesSql = `
  DELETE FROM fix_uses WHERE caller_id = ?1 AND fix_id = ?2 AND id < (
    SELECT id FROM fix_uses WHERE caller_id = ?1 AND fix_id = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)`;
const usesSql = `
  SELECT fix_id, failure_id, at_ms, is_cured FROM fix_uses WHERE caller_id = ? AND fix_id = ?
  ORDER BY id DESC LIMIT ?`;
const totalsSql = `
  SELECT COUNT(*) AS uses, COALESCE(SUM(is_cured), 0) AS cures FROM fix_uses WHERE caller_id = ? AND fix_id = ?`;
const usedSql = `
  SELECT fix_id FROM fix_uses WHERE caller_id = ? GROUP BY fix_id ORDER BY MAX(id) DESC LIMIT ?`;

/** Waiting blocks the event loop: only shortly per attempt. */
const terms = { durability: 'normal', busyTimeoutMs: 250 } as const;
const noRecord: FixRecord = { uses: [], isApproved: false, totals: { uses: 0, cures: 0 } };

/** Keeps failures and what cured them in SQLite. */
export class SqliteExperienceStore implements ExperienceStore {
  readonly #database: SqliteDatabase;
  readonly #patienceMs: number;

  constructor(database: SqliteDatabase, { patienceMs }: { readonly patienceMs: number }) {
    this.#database = database;
    this.#patienceMs = patienceMs;
  }

  async addFailure(caller: Caller, failure: StoredFailure, maxFailures: number): Promise<void> {
    const { id, at, target, signature, runId } = failure;
    const record = JSON.stringify(failure);
    await this.#write((statements) => {
      statements(insertSql).run(id, caller.id, Date.parse(at), target, signature, runId, record);
      statements(trimSql).run(caller.id, maxFailures - 1);
    });
  }

  async find(caller: Caller, id: string): Promise<StoredFailure | undefined> {
    const found = this.#all((statements) => statements(findSql).all(caller.id, id)).map(failureOf);
    return found.length === 1 ? found[0] : undefined;
  }

  async ofRun(caller: Caller, runId: string): Promise<readonly StoredFailure[]> {
    return this.#all((statements) => statements(ofRunSql).all(caller.id, runId)).map(failureOf);
  }

  async list(caller: Caller, limit: number): Promise<readonly StoredFailure[]> {
    return this.#all((statements) => statements(listSql).all(caller.id, limit)).map(failureOf);
  }

  async open(caller: Caller, target: string, limit: number): Promise<readonly StoredFailure[]> {
    const rows = this.#all((statements) => statements(openSql).all(caller.id, target, limit));
    return rows.map(failureOf);
  }

  async openTargets(caller: Caller, limit: number): Promise<readonly string[]> {
    const rows = this.#all((statements) => statements(openTargetsSql).all(caller.id, limit));
    return rows.map((row) => String(row['target']));
  }

  async seen(
    caller: Caller,
    signature: string,
  ): Promise<{ readonly count: number; readonly lastAt: string | null }> {
    const [row] = this.#all((statements) => statements(seenSql).all(caller.id, signature));
    const last = row?.['last_at_ms'];
    return { count: Number(row?.['count'] ?? 0), lastAt: last == null ? null : timeOf(last) };
  }

  async settle(
    caller: Caller,
    target: string,
    { fixId, at }: { readonly fixId: string; readonly at: string },
  ): Promise<void> {
    await this.#write((statements) =>
      statements(settleSql).run(fixId, Date.parse(at), caller.id, target),
    );
  }

  async addFix(
    caller: Caller,
    fix: LearnedFix,
    { atMs, maxFixes }: { readonly atMs: number; readonly maxFixes: number },
  ): Promise<void> {
    const { id, signature, subject, normalised, changes } = fix;
    const written = JSON.stringify(changes);
    await this.#write((statements) => {
      statements(addFixSql).run(caller.id, id, signature, subject, normalised, written, atMs);
      statements(trimFixesSql).run(caller.id, maxFixes);
    });
  }

  async approve(caller: Caller, fixId: string, isApproved: boolean): Promise<void> {
    await this.#write((statements) =>
      statements(isApproved ? approveSql : disapproveSql).run(caller.id, fixId),
    );
  }

  async fix(caller: Caller, fixId: string): Promise<LearnedFix | undefined> {
    return this.#all((statements) => statements(fixSql).all(caller.id, fixId)).map(fixOf)[0];
  }

  async fixes(
    caller: Caller,
    { signature, subject }: { readonly signature?: string; readonly subject?: string },
    limit: number,
  ): Promise<readonly LearnedFix[]> {
    const rows = this.#all((statements) =>
      statements(fixesSql).all(caller.id, signature ?? null, subject ?? null, limit),
    );
    return rows.map(fixOf);
  }

  async addUse(caller: Caller, use: FixUse, maxUses: number): Promise<void> {
    const { fixId, failureId, atMs, isCured } = use;
    await this.#write((statements) => {
      statements(addUseSql).run(caller.id, fixId, failureId, atMs, Number(isCured));
      statements(trimUsesSql).run(caller.id, fixId, maxUses - 1);
    });
  }

  async record(caller: Caller, fixId: string, maxUses: number): Promise<FixRecord> {
    if (!this.#database.exists) return noRecord;
    return this.#database.read((statements) => {
      const totals = statements(totalsSql).get(caller.id, fixId);
      return {
        uses: statements(usesSql).all(caller.id, fixId, maxUses).map(useOf),
        isApproved: statements(isApprovedSql).get(caller.id, fixId) !== undefined,
        totals: { uses: Number(totals?.['uses']), cures: Number(totals?.['cures']) },
      };
    });
  }

  async used(caller: Caller, limit: number): Promise<readonly string[]> {
    const rows = this.#all((statements) => statements(usedSql).all(caller.id, limit));
    return rows.map((row) => String(row['fix_id']));
  }

  #all(query: (statements: Statements) => readonly Row[]): readonly Row[] {
    // A read must not create the database.
    return this.#database.exists ? this.#database.readOne(query) : [];
  }

  #write<Result>(work: (statements: Statements) => Result): Promise<Result> {
    return whileStoreBusy(this.#patienceMs, () => this.#database.write(terms, work));
  }
}

function failureOf(row: Row): StoredFailure {
  // Written by `addFailure`.
  const failure = JSON.parse(String(row['record'])) as StoredFailure;
  if (row['cured_by'] == null) return failure;
  return { ...failure, curedBy: String(row['cured_by']), curedAt: timeOf(row['cured_at_ms']) };
}

function fixOf(row: Row): LearnedFix {
  return {
    id: String(row['fix_id']),
    signature: String(row['signature']),
    subject: String(row['subject']),
    normalised: String(row['normalised']),
    // Written by `addFix`.
    changes: JSON.parse(String(row['changes'])) as LearnedFix['changes'],
  };
}

function useOf(row: Row): FixUse {
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
