import type { RunStatus } from '../../contract/run/index.ts';
import type {
  JournalEntry,
  Lease,
  NewRunRecord,
  PrunedRun,
  RunChange,
  SignalRecord,
} from '../../workflow/engine/index.ts';
import { writeEntries, type Row } from './run-rows.ts';
import { inheritMakersSql, releaseMakersSql } from '../sql/sql-artifact-index.ts';
import type { Statements } from './sqlite-database.ts';

// What is written to runs; each function within the transaction of `statements`.

const insertSql = `
  INSERT INTO runs (run_id, caller_id, engine, status, name, goal, created_at_ms, deadline_ms, forked_from,
    idempotency_key, place)
  VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?)`;

const insertContentsSql =
  'INSERT INTO run_contents (run_key, plan, input, meta) VALUES (?, ?, ?, ?)';

/** Entries one run can have: its rows in `run_journal` are numbered from its key times this. */
const entriesPerRun = 2 ** 28;

const firstPlaceSql = `(SELECT run_key FROM runs WHERE run_id = ?1) * ${entriesPerRun}`;

/** The rows of the run ?1 in `run_journal`. */
export const ofRunSql = `place BETWEEN ${firstPlaceSql} AND ${firstPlaceSql} + ${entriesPerRun - 1}`;

/** How many entries the run ?1 has. */
export const entryCountSql = `COALESCE(
  (SELECT place % ${entriesPerRun} + count FROM run_journal WHERE ${ofRunSql} ORDER BY place DESC LIMIT 1), 0)`;

const appendSql = `
  INSERT INTO run_journal (place, count, entries)
  SELECT run_key * ${entriesPerRun} + ${entryCountSql}, ?2, ?3 FROM runs WHERE run_id = ?1`;

const appendLeasedSql = `${appendSql} AND epoch = ?4 AND lease_owner IS NOT NULL`;

const statusSql = `
  UPDATE runs SET status = ?3 WHERE run_id = ?1 AND epoch = ?2 AND lease_owner IS NOT NULL`;

const endSql = `
  UPDATE runs SET status = ?3, outcome = ?4, ended_at_ms = ?5, lease_owner = NULL, lease_until_ms = NULL
  WHERE run_id = ?1 AND epoch = ?2 AND lease_owner IS NOT NULL`;

const addSignalSql = `
  INSERT INTO run_signals (run_id, name, payload, place)
  SELECT run_id, ?2, ?3, COALESCE((SELECT MAX(place) FROM run_signals WHERE run_id = ?1), 0) + 1
  FROM runs WHERE run_id = ?1 ON CONFLICT DO NOTHING`;

export const dropSignalSql = 'DELETE FROM run_signals WHERE run_id = ? AND name = ?';

export const countSignalsSql = `
  UPDATE runs SET wake_at_ms = 0,
    signal_count = (SELECT COUNT(*) FROM run_signals WHERE run_signals.run_id = runs.run_id)
  WHERE run_id = ?`;

const endedSql = `
  SELECT run_id, caller_id FROM runs WHERE ended_at_ms IS NOT NULL AND ended_at_ms < ? ORDER BY ended_at_ms LIMIT ?`;

const endedByIdSql = `
  SELECT run_id, caller_id FROM runs WHERE caller_id = ? AND ended_at_ms IS NOT NULL
    AND run_id IN (SELECT value FROM json_each(?))`;

/** The row of the run last: the others are found by it. */
const removeSql = [
  `DELETE FROM run_journal WHERE ${ofRunSql}`,
  'DELETE FROM run_signals WHERE run_id = ?',
  'DELETE FROM run_contents WHERE run_key = (SELECT run_key FROM runs WHERE run_id = ?)',
  'DELETE FROM effects WHERE run_id = ?',
  'DELETE FROM approvals WHERE run_id = ?',
  'DELETE FROM runs WHERE run_id = ?',
] as const;

export function insertRun(statements: Statements, run: NewRunRecord): void {
  const { runId, callerId, plan, forkedFrom, signals = [] } = run;
  const { lastInsertRowid } = statements(insertSql).run(
    runId,
    callerId,
    run.engine,
    plan.name ?? null,
    plan.goal ?? null,
    run.createdAtMs,
    run.deadlineMs,
    forkedFrom,
    run.idempotencyKey,
    run.place ?? null,
  );
  const contents = [plan, run.input, run.meta].map((value) => JSON.stringify(value));
  statements(insertContentsSql).run(lastInsertRowid, ...contents);
  appendEntries(statements, { runId }, run.journal ?? []);
  for (const signal of signals) addRunSignal(statements, runId, signal);
  // What a fork takes over must not go with the old run.
  if (forkedFrom !== null) statements(inheritMakersSql).run(runId, callerId, forkedFrom);
}

/** Adds to the journal of a run; under a lease only while it is valid. False when nothing was written. */
export function appendEntries(
  statements: Statements,
  { runId, epoch }: Pick<Lease, 'runId'> & { readonly epoch?: number },
  entries: readonly JournalEntry[],
): boolean {
  if (entries.length === 0) return true;
  const cells = [runId, entries.length, writeEntries(entries)] as const;
  const { changes } =
    epoch === undefined
      ? statements(appendSql).run(...cells)
      : statements(appendLeasedSql).run(...cells, epoch);
  return changes > 0;
}

/** False when the lease is gone; then nothing was written. */
export function applyChange(statements: Statements, change: RunChange, endedAtMs: number): boolean {
  const { entries, status, outcome } = change;
  const { runId, epoch } = change.lease;
  if (!appendEntries(statements, change.lease, entries)) return false;
  if (status === undefined) return true;
  const text = outcome === undefined ? null : JSON.stringify(outcome);
  const { changes } = isOver(status)
    ? statements(endSql).run(runId, epoch, status, text, endedAtMs)
    : statements(statusSql).run(runId, epoch, status);
  return changes > 0;
}

/** False, and nothing is written, when the run has a signal of that name or there is no such run. */
export function addRunSignal(
  statements: Statements,
  runId: string,
  { name, payload }: SignalRecord,
): boolean {
  const { changes } = statements(addSignalSql).run(runId, name, JSON.stringify(payload));
  if (changes === 0) return false;
  statements(countSignalsSql).run(runId);
  return true;
}

/** Removes runs that ended before this time, at most so many, and all that belongs to them. */
export function removeEndedRuns(
  statements: Statements,
  endedBeforeMs: number,
  limit: number,
): readonly PrunedRun[] {
  return removeRuns(statements, statements(endedSql).all(endedBeforeMs, limit));
}

/** Removes those of these runs that are the caller's and have ended. */
export function removeRunsById(
  statements: Statements,
  callerId: string,
  runIds: readonly string[],
): readonly PrunedRun[] {
  return removeRuns(statements, statements(endedByIdSql).all(callerId, JSON.stringify(runIds)));
}

function removeRuns(statements: Statements, rows: readonly Row[]): readonly PrunedRun[] {
  const runs = rows.map((row) => ({
    runId: String(row['run_id']),
    callerId: String(row['caller_id']),
  }));
  for (const { runId, callerId } of runs) {
    for (const sql of removeSql) statements(sql).run(runId);
    statements(releaseMakersSql).run(callerId, runId);
  }
  return runs;
}

const ends: ReadonlySet<RunStatus> = new Set(['succeeded', 'failed', 'cancelled']);

export function isOver(status: RunStatus): boolean {
  return ends.has(status);
}
