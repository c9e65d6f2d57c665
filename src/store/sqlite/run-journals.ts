import type { JournalEntry, RunChange } from '../../workflow/engine/index.ts';
import { writeEntries } from './journal-text.ts';
import { RecentJournals, type Added } from './recent-journals.ts';
import type { RunKeys } from './run-keys.ts';
import { parseEntries, readEntries, readNumber } from './run-rows.ts';
import type { SeenLeases } from './seen-leases.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';

/** Entries one run can have: as many as there are places between two runs. */
const entriesPerRun = 2 ** 28;

const keySql = '(SELECT run_key FROM runs WHERE run_id = ?1)';

/** The rows of a run, whose number this gives. */
const ofRun = (key: string): string =>
  `place BETWEEN ${key} * ${entriesPerRun} AND ${key} * ${entriesPerRun} + ${entriesPerRun - 1}`;

const firstSql = `place % ${entriesPerRun}`;

const wholeSql = `SELECT ${firstSql} AS first, entries FROM run_journal WHERE ${ofRun(keySql)} ORDER BY place`;

const fromSql = `
  SELECT ${firstSql} AS first, entries FROM run_journal
  WHERE ${ofRun(keySql)} AND place >= COALESCE(
    (SELECT MAX(place) FROM run_journal
     WHERE ${ofRun(keySql)} AND place <= ${keySql} * ${entriesPerRun} + CAST(?2 AS INTEGER)), 0)
  ORDER BY place`;

/** How many entries the run ?1 has. */
export const nextPlaceSql = `COALESCE(
  (SELECT ${firstSql} + count FROM run_journal WHERE ${ofRun(keySql)} ORDER BY place DESC LIMIT 1), 0)`;

/** The lease is looked at by the statement that writes: nobody can take the run in between. */
const addLeasedSql = (placeSql: string): string => `
  INSERT INTO run_journal (place, count, entries)
  SELECT run_key * ${entriesPerRun} + ${placeSql}, ?2, ?3 FROM runs
  WHERE run_key = ?5 AND run_id = ?1 AND epoch = ?4 AND lease_owner IS NOT NULL`;

const addLeasedNextSql = addLeasedSql(nextPlaceSql);

/** Numbers are given as floating point ones, by which a place beyond 2^53 would be another. */
const addLeasedAtSql = addLeasedSql('CAST(?6 AS INTEGER)');

/** For leases that need not be looked at: as many rows in one statement, for which there is no more to do for each. */
const rowsPerStatement = 16;

const rowSql = `(CAST(? AS INTEGER) * ${entriesPerRun} + CAST(? AS INTEGER), ?, ?)`;

const insertRowsSql = (rows: number): string =>
  `INSERT INTO run_journal (place, count, entries) VALUES ${Array.from({ length: rows }, () => rowSql).join(',')}`;

const insertOneSql = insertRowsSql(1);

const insertManySql = insertRowsSql(rowsPerStatement);

const addSql = `
  INSERT INTO run_journal (place, count, entries)
  VALUES (${keySql} * ${entriesPerRun} + ${nextPlaceSql}, ?2, ?3)`;

export const removeJournalSql = `DELETE FROM run_journal WHERE ${ofRun(keySql)}`;

/** What happened in runs: the part of the run store that is about journals. */
export class RunJournals {
  readonly #database: SqliteDatabase;
  readonly #keys: RunKeys;
  readonly #recent = new RecentJournals();
  readonly #leases: SeenLeases;
  /** What the transaction under way adds. */
  #added: Added[] = [];
  /** Of that, what is written at its end. */
  #held: HeldRow[] = [];

  constructor(
    database: SqliteDatabase,
    { keys, leases }: { readonly keys: RunKeys; readonly leases: SeenLeases },
  ) {
    this.#database = database;
    this.#keys = keys;
    this.#leases = leases;
  }

  of(runId: string, from = 0): readonly JournalEntry[] {
    const rows = this.#database.readOne((statements) =>
      from === 0 ? statements(wholeSql).all(runId) : statements(fromSql).all(runId, from),
    );
    const entries = readEntries(rows, this.#database.options.path);
    const [row] = rows;
    return row ? entries.slice(Math.max(0, from - readNumber(row, 'first'))) : entries;
  }

  /** The whole journal of a run whose row has this epoch; as it is in that one, or newer. */
  at(runId: string, epoch: number): readonly JournalEntry[] {
    const texts = this.#recent.of(runId, epoch);
    return texts ? parseEntries(texts, this.#database.options.path) : this.of(runId);
  }

  add(statements: Statements, runId: string, entries: readonly JournalEntry[]): void {
    statements(addSql).run(runId, entries.length, writeEntries(entries));
  }

  /** False when the lease is gone; then nothing was written. */
  addLeased(statements: Statements, { lease, entries, place }: RunChange): boolean {
    const { runId, epoch } = lease;
    const text = writeEntries(entries);
    const count = entries.length;
    const key = this.#keys.of(statements, runId);
    if (place === undefined) {
      return statements(addLeasedNextSql).run(runId, count, text, epoch, key).changes > 0;
    }
    if (this.#leases.has(runId, epoch)) this.#held.push([key, place, count, text]);
    else {
      const { changes } = statements(addLeasedAtSql).run(runId, count, text, epoch, key, place);
      if (changes === 0) return false;
      this.#leases.add(runId, epoch);
    }
    this.#added.push({ runId, epoch, place, count, text });
    return true;
  }

  /** Writes what `addLeased` held back; to be called before a transaction is committed. */
  writeHeld(statements: Statements): void {
    const held = this.#held;
    this.#held = [];
    let at = 0;
    for (; at + rowsPerStatement <= held.length; at += rowsPerStatement) {
      statements(insertManySql).run(...held.slice(at, at + rowsPerStatement).flat());
    }
    for (; at < held.length; at += 1) statements(insertOneSql).run(...(held[at] ?? []));
  }

  /** The transaction was committed. */
  onCommitted(): void {
    for (const added of this.#added) this.#recent.add(added);
    this.#added = [];
  }

  /** It was not, or nobody knows. */
  onFailed(): void {
    for (const { runId } of this.#added) this.#recent.forget(runId);
    this.#added = [];
    this.#held = [];
  }
}

type HeldRow = readonly [key: number, place: number, count: number, entries: string];
