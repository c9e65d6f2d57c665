import type { JournalEntry, RunChange } from '../../workflow/engine/index.ts';
import { writeEntries } from './journal-text.ts';
import { RecentJournals, type Added } from './recent-journals.ts';
import type { RunKeys } from './run-keys.ts';
import { parseEntries, readEntries, readNumber } from './run-rows.ts';
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
     WHERE ${ofRun(keySql)} AND place <= ${keySql} * ${entriesPerRun} + ?2), 0)
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

const addLeasedAtSql = addLeasedSql('?6');

const addSql = `
  INSERT INTO run_journal (place, count, entries)
  VALUES (${keySql} * ${entriesPerRun} + ${nextPlaceSql}, ?2, ?3)`;

export const removeJournalSql = `DELETE FROM run_journal WHERE ${ofRun(keySql)}`;

/** What happened in runs: the part of the run store that is about journals. */
export class RunJournals {
  readonly #database: SqliteDatabase;
  readonly #keys: RunKeys;
  readonly #recent = new RecentJournals();
  /** What the transaction under way adds. */
  #added: Added[] = [];

  constructor(database: SqliteDatabase, keys: RunKeys) {
    this.#database = database;
    this.#keys = keys;
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
    const { changes } = statements(addLeasedAtSql).run(runId, count, text, epoch, key, place);
    if (changes > 0) this.#added.push({ runId, epoch, place, count, text });
    return changes > 0;
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
  }
}
