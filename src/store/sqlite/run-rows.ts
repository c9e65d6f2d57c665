import type { SQLOutputValue } from 'node:sqlite';
import type { Json } from '../../contract/plan/index.ts';
import type { RunSummary } from '../../contract/run/index.ts';
import type {
  JournalEntry,
  RunNotice,
  RunRecord,
  SignalRecord,
} from '../../workflow/engine/index.ts';
import { CorruptDatabaseError } from '../errors.ts';
import { restoreEntries } from './journal-text.ts';
import type { Contents } from './run-contents.ts';

type IsoTime = (ms: number) => string;

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** What `readSummary` reads. */
export const summaryColumns = `
  run_id, name, goal, status, engine, created_at_ms, started_at_ms, ended_at_ms, forked_from`;

export function readSummary(row: Row, isoTime: IsoTime): RunSummary {
  const timeOrNull = (value: SQLOutputValue | undefined): string | null =>
    typeof value === 'number' ? isoTime(value) : null;
  return {
    runId: String(row['run_id']),
    name: textOrNull(row['name']),
    goal: textOrNull(row['goal']),
    // Only this store writes the two columns, from the same types.
    status: String(row['status']) as RunSummary['status'],
    engine: String(row['engine']) as RunSummary['engine'],
    createdAt: isoTime(Number(row['created_at_ms'])),
    startedAt: timeOrNull(row['started_at_ms']),
    endedAt: timeOrNull(row['ended_at_ms']),
    forkedFrom: textOrNull(row['forked_from']),
  };
}

export function summaryOf(record: RunRecord): RunSummary {
  const { runId, name, goal, status, engine, createdAt, startedAt, endedAt, forkedFrom } = record;
  return { runId, name, goal, status, engine, createdAt, startedAt, endedAt, forkedFrom };
}

/** What `readRecord` reads. */
export const recordColumns = `
  ${summaryColumns}, caller_id, outcome, request, request_reason, deadline_ms, signal_count, epoch`;

export function readRecord(
  row: Row,
  contents: Contents,
  { path, isoTime }: { readonly path: string; readonly isoTime: IsoTime },
): RunRecord {
  const summary = readSummary(row, isoTime);
  return {
    ...summary,
    ...contents,
    callerId: String(row['caller_id']),
    ...(row['outcome'] === null ? undefined : { outcome: parseColumn(row, 'outcome', path) }),
    request: readRequest(row),
    requestReason: textOrNull(row['request_reason']),
    deadlineMs: numberOrNull(row['deadline_ms']),
    signals: Number(row['signal_count']),
  };
}

export function readNotice(row: Row): RunNotice {
  return {
    runId: String(row['run_id']),
    request: readRequest(row),
    requestReason: textOrNull(row['request_reason']),
    signals: Number(row['signal_count']),
  };
}

export function readSignal(row: Row, path: string): SignalRecord {
  return { name: String(row['name']), payload: parseColumn(row, 'payload', path) };
}

/** The entries of rows of `run_journal`, in the order of those. */
export function readEntries(rows: readonly Row[], path: string): readonly JournalEntry[] {
  return parseEntries(
    rows.map((row) => String(row['entries'])),
    path,
  );
}

/** The same for the texts of such rows. */
export function parseEntries(texts: readonly string[], path: string): readonly JournalEntry[] {
  // Lists, as the rows of a table: one text is parsed faster than a thousand.
  const lists = texts.join(',');
  const entries = restoreEntries(parseText(`[${lists}]`, path));
  if (entries) return entries;
  throw new CorruptDatabaseError(path, 'a part of the journal of a run is unreadable');
}

/** What is in a column was made by `JSON.stringify` from the type that is wanted: hence `never`, which fits it. */
export function parseColumn(row: Row, column: string, path: string): never {
  return parseText(String(row[column]), path);
}

function parseText(text: string, path: string): never {
  try {
    return JSON.parse(text) as never;
  } catch (error) {
    throw new CorruptDatabaseError(path, error);
  }
}

function readRequest(row: Row): RunNotice['request'] {
  const request = row['request'];
  return request === 'cancel' || request === 'pause' ? request : null;
}

export function jsonOrNull(value: Json | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

export function readNumber(row: Row, column: string): number {
  return Number(row[column]);
}

const textOrNull = (value: SQLOutputValue | undefined): string | null =>
  typeof value === 'string' ? value : null;

const numberOrNull = (value: SQLOutputValue | undefined): number | null =>
  typeof value === 'number' ? value : null;
