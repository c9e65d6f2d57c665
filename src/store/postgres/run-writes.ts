import type { RunStatus } from '../../contract/run/index.ts';
import type {
  JournalEntry,
  NewRunRecord,
  PrunedRun,
  RunChange,
  SignalRecord,
} from '../../workflow/engine/index.ts';
import { artifactLock, inheritMakersSql } from '../sql/sql-artifact-index.ts';
import { writeEntries } from '../sqlite/run-rows.ts';
import type { Statements } from './postgres-database.ts';
import { takeLocks } from './postgres-sql.ts';

// What is written to runs; each function within the transaction of its statements.

/** Milliseconds since the epoch by the database's clock, which all processes share, unless a test gives the time. */
export const nowSql = (parameter: string): string =>
  `COALESCE(${parameter}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`;

/** Those that have an idempotency key of their caller already are left out. */
const insertSql = `
  WITH run AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
      $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[])
    WITH ORDINALITY AS r (run_id, caller_id, engine, name, goal, created_at_ms, deadline_ms, forked_from,
      idempotency_key, place, plan, input, meta, number)
  ), added AS (
    INSERT INTO runs (run_id, caller_id, engine, status, name, goal, created_at_ms, deadline_ms, forked_from,
      idempotency_key, place)
    SELECT run_id, caller_id, engine, 'queued', name, goal, created_at_ms, deadline_ms, forked_from,
      idempotency_key, place FROM run ORDER BY number
    ON CONFLICT (caller_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
    RETURNING run_key, run_id
  ), contents AS (
    INSERT INTO run_contents (run_key, plan, input, meta)
    SELECT run_key, plan, input, meta FROM added JOIN run USING (run_id)
  )
  SELECT run_id FROM added`;

const sameStartSql = `
  SELECT runs.run_id, caller_id, idempotency_key FROM runs
  JOIN unnest($1::text[], $2::text[]) AS start (caller_id, idempotency_key) USING (caller_id, idempotency_key)`;

/** How many entries a run has. */
export const entryCountSql = (runKey: string): string => `COALESCE(
  (SELECT first + count FROM run_journal WHERE run_key = ${runKey} ORDER BY first DESC LIMIT 1), 0)`;

const addEntriesSql = (from: string): string => `
  INSERT INTO run_journal (run_key, first, count, entries)
  SELECT run_key, ${entryCountSql(`${from}.run_key`)}, change.count, change.entries
  FROM ${from} JOIN change USING (run_id) WHERE change.count > 0`;

/** The row of the run is locked until the end of the transaction: its lease cannot be taken meanwhile. */
const appendLeasedSql = `
  WITH change AS (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::integer[], $4::text[]) AS c (run_id, epoch, count, entries)
  ), held AS (
    SELECT run_key, runs.run_id FROM runs JOIN change ON change.run_id = runs.run_id AND change.epoch = runs.epoch
    WHERE lease_owner IS NOT NULL ORDER BY run_key FOR UPDATE OF runs
  ), added AS (${addEntriesSql('held')})
  SELECT run_id FROM held`;

const changeLeasedSql = `
  WITH change AS (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::boolean[])
      AS c (run_id, epoch, count, entries, status, outcome, is_end)
  ), held AS (
    UPDATE runs SET status = change.status,
      outcome = CASE WHEN is_end THEN change.outcome ELSE runs.outcome END,
      ended_at_ms = CASE WHEN is_end THEN ${nowSql('$8')} ELSE ended_at_ms END,
      lease_owner = CASE WHEN NOT is_end THEN lease_owner END,
      lease_until_ms = CASE WHEN NOT is_end THEN lease_until_ms END
    FROM change WHERE change.run_id = runs.run_id AND change.epoch = runs.epoch AND lease_owner IS NOT NULL
    RETURNING run_key, runs.run_id
  ), added AS (${addEntriesSql('held')})
  SELECT run_id FROM held`;

const appendSql = `
  WITH change AS (SELECT $1::text AS run_id, $2::integer AS count, $3::text AS entries),
  held AS (SELECT run_key, run_id FROM runs WHERE run_id = $1) ${addEntriesSql('held')}`;

const lockSql = 'SELECT run_id FROM runs WHERE run_id = $1 FOR UPDATE';

const addSignalSql = `
  INSERT INTO run_signals (run_id, name, payload, place)
  VALUES ($1, $2, $3, (SELECT COALESCE(MAX(place), 0) + 1 FROM run_signals WHERE run_id = $1))
  ON CONFLICT DO NOTHING RETURNING place`;

const countSignalsSql = `
  UPDATE runs SET wake_at_ms = 0, signal_count = (SELECT COUNT(*) FROM run_signals WHERE run_id = $1)
  WHERE run_id = $1`;

const endedSql = `
  SELECT run_key, run_id, caller_id FROM runs WHERE ended_at_ms < $1 ORDER BY ended_at_ms LIMIT $2
  FOR UPDATE SKIP LOCKED`;

const endedByIdSql = `
  SELECT run_key, run_id, caller_id FROM runs
  WHERE caller_id = $1 AND ended_at_ms IS NOT NULL AND run_id = ANY($2::text[]) ORDER BY run_key FOR UPDATE`;

const removeByKeySql = [
  'DELETE FROM run_journal WHERE run_key = ANY($1::bigint[])',
  'DELETE FROM run_contents WHERE run_key = ANY($1::bigint[])',
] as const;

const removeByIdSql = [
  'DELETE FROM run_signals WHERE run_id = ANY($1::text[])',
  'DELETE FROM effects WHERE run_id = ANY($1::text[])',
  'DELETE FROM approvals WHERE run_id = ANY($1::text[])',
  'DELETE FROM runs WHERE run_id = ANY($1::text[])',
] as const;

const releaseMakersSql = `
  DELETE FROM artifact_makers WHERE (caller_id, run_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`;

export interface CreatedRun {
  readonly runId: string;
  readonly isNew: boolean;
}

/** In the order of the runs. */
export async function insertRuns(
  statements: Statements,
  runs: readonly NewRunRecord[],
): Promise<readonly CreatedRun[]> {
  const column = (cell: (run: NewRunRecord) => unknown): unknown[] => runs.map(cell);
  const added = await statements.query<{ run_id: string }>(insertSql, [
    column(({ runId }) => runId),
    column(({ callerId }) => callerId),
    column(({ engine }) => engine),
    column(({ plan }) => plan.name ?? null),
    column(({ plan }) => plan.goal ?? null),
    column(({ createdAtMs }) => createdAtMs),
    column(({ deadlineMs }) => deadlineMs),
    column(({ forkedFrom }) => forkedFrom),
    column(({ idempotencyKey }) => idempotencyKey),
    column(({ place }) => place ?? null),
    column(({ plan }) => JSON.stringify(plan)),
    column(({ input }) => JSON.stringify(input)),
    column(({ meta }) => JSON.stringify(meta)),
  ]);
  const isNew = new Set(added.map(({ run_id }) => run_id));
  for (const run of runs) if (isNew.has(run.runId)) await insertForked(statements, run);
  const known = isNew.size === runs.length ? [] : await findSameStarts(statements, runs);
  return runs.map(({ runId, callerId, idempotencyKey }) => {
    const same = known.find(
      (it) => it.caller_id === callerId && it.idempotency_key === idempotencyKey,
    );
    return isNew.has(runId) || !same
      ? { runId, isNew: true }
      : { runId: same.run_id, isNew: false };
  });
}

/** Whether a transaction that inserted these was committed. */
export async function areInserted(
  created: readonly CreatedRun[],
  { query }: Statements,
): Promise<boolean> {
  const inserted = created.find(({ isNew }) => isNew);
  if (!inserted) return true;
  return (await query('SELECT 1 FROM runs WHERE run_id = $1', [inserted.runId])).length > 0;
}

/** What a fork takes over. */
async function insertForked(statements: Statements, run: NewRunRecord): Promise<void> {
  const { runId, callerId, forkedFrom, journal = [], signals = [] } = run;
  await appendEntries(statements, runId, journal);
  for (const signal of signals) await addRunSignal(statements, runId, signal);
  // It must not go with the old run.
  if (forkedFrom === null) return;
  await takeLocks(statements, [artifactLock]);
  await statements.query(inheritMakersSql, [runId, callerId, forkedFrom]);
}

interface SameStart {
  readonly run_id: string;
  readonly caller_id: string;
  readonly idempotency_key: string;
}

function findSameStarts(
  statements: Statements,
  runs: readonly NewRunRecord[],
): Promise<readonly SameStart[]> {
  const keyed = runs.filter(({ idempotencyKey }) => idempotencyKey !== null);
  return statements.query<SameStart>(sameStartSql, [
    keyed.map(({ callerId }) => callerId),
    keyed.map(({ idempotencyKey }) => idempotencyKey),
  ]);
}

/** Changes of different runs; gives the runs whose lease is gone, of which nothing was written. */
export async function applyChanges(
  statements: Statements,
  changes: readonly RunChange[],
  nowMs: number | null,
): Promise<ReadonlySet<string>> {
  const lost = new Set(changes.map(({ lease }) => lease.runId));
  const parts = [
    { sql: appendLeasedSql, of: changes.filter(({ status }) => status === undefined) },
    { sql: changeLeasedSql, of: changes.filter(({ status }) => status !== undefined) },
  ];
  for (const { sql, of } of parts) {
    if (of.length === 0) continue;
    const cells: unknown[] = [
      of.map(({ lease }) => lease.runId),
      of.map(({ lease }) => lease.epoch),
      of.map(({ entries }) => entries.length),
      of.map(({ entries }) => writeEntries(entries)),
    ];
    if (sql === changeLeasedSql) {
      cells.push(
        of.map(({ status }) => status),
        of.map(({ outcome }) => (outcome === undefined ? null : JSON.stringify(outcome))),
        of.map(({ status }) => status !== undefined && isOver(status)),
        nowMs,
      );
    }
    const held = await statements.query<{ run_id: string }>(sql, cells);
    for (const { run_id } of held) lost.delete(run_id);
  }
  return lost;
}

const isAppliedSql = `
  SELECT 1 FROM runs WHERE run_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::text IS NULL OR EXISTS (
    SELECT 1 FROM run_journal WHERE run_journal.run_key = runs.run_key AND entries = $3))`;

/** Whether a transaction that applied all of these changes was committed. */
export async function areApplied(
  { query }: Statements,
  changes: readonly RunChange[],
): Promise<boolean> {
  // Entries hold keys and times that come once; a status may have been the same before, or be another one by now.
  const change = changes.find(({ entries }) => entries.length > 0) ?? changes[0];
  if (!change) return true;
  const { lease, entries, status } = change;
  const written = entries.length === 0 ? null : writeEntries(entries);
  const known = written === null ? (status ?? null) : null;
  return (await query(isAppliedSql, [lease.runId, known, written])).length > 0;
}

export async function appendEntries(
  { query }: Statements,
  runId: string,
  entries: readonly JournalEntry[],
): Promise<void> {
  if (entries.length > 0) await query(appendSql, [runId, entries.length, writeEntries(entries)]);
}

/** False, and nothing is written, when the run has a signal of that name or there is no such run. */
export async function addRunSignal(
  { query }: Statements,
  runId: string,
  { name, payload }: SignalRecord,
): Promise<boolean> {
  const runs = await query(lockSql, [runId]);
  if (runs.length === 0) return false;
  const added = await query(addSignalSql, [runId, name, JSON.stringify(payload)]);
  if (added.length === 0) return false;
  await query(countSignalsSql, [runId]);
  return true;
}

export async function dropSignals(
  { query }: Statements,
  runId: string,
  names: readonly string[],
): Promise<void> {
  if (names.length > 0) {
    await query('DELETE FROM run_signals WHERE run_id = $1 AND name = ANY($2::text[])', [
      runId,
      names,
    ]);
  }
  await query(countSignalsSql, [runId]);
}

interface EndedRow {
  readonly run_key: number;
  readonly run_id: string;
  readonly caller_id: string;
}

/** Removes runs that ended before this time, at most so many, and all that belongs to them. */
export async function removeEndedRuns(
  statements: Statements,
  endedBeforeMs: number,
  limit: number,
): Promise<readonly PrunedRun[]> {
  return removeRuns(statements, await statements.query(endedSql, [endedBeforeMs, limit]));
}

/** Removes those of these runs that are the caller's and have ended. */
export async function removeRunsById(
  statements: Statements,
  callerId: string,
  runIds: readonly string[],
): Promise<readonly PrunedRun[]> {
  return removeRuns(statements, await statements.query(endedByIdSql, [callerId, runIds]));
}

async function removeRuns(
  { query }: Statements,
  rows: readonly EndedRow[],
): Promise<readonly PrunedRun[]> {
  if (rows.length === 0) return [];
  const [keys, ids, callers] = [
    rows.map((row) => row.run_key),
    rows.map((row) => row.run_id),
    rows.map((row) => row.caller_id),
  ];
  await takeLocks({ query }, [artifactLock]);
  for (const sql of removeByKeySql) await query(sql, [keys]);
  await query(releaseMakersSql, [callers, ids]);
  for (const sql of removeByIdSql) await query(sql, [ids]);
  return rows.map(({ run_id, caller_id }) => ({ runId: run_id, callerId: caller_id }));
}

const ends: ReadonlySet<RunStatus> = new Set(['succeeded', 'failed', 'cancelled']);

export function isOver(status: RunStatus): boolean {
  return ends.has(status);
}
