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

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** Columns of `readSummary`. */
export const summaryColumns = `
  run_id, name, goal, status, engine, created_at_ms, started_at_ms, ended_at_ms, forked_from, place`;

export function readSummary(row: Row): RunSummary {
  return {
    runId: String(row['run_id']),
    name: textOrNull(row['name']),
    goal: textOrNull(row['goal']),
    // Only this store writes the two columns, from the same types.
    status: String(row['status']) as RunSummary['status'],
    engine: String(row['engine']) as RunSummary['engine'],
    createdAt: isoTime(row, 'created_at_ms'),
    startedAt: row['started_at_ms'] === null ? null : isoTime(row, 'started_at_ms'),
    endedAt: row['ended_at_ms'] === null ? null : isoTime(row, 'ended_at_ms'),
    forkedFrom: textOrNull(row['forked_from']),
    ...(typeof row['place'] === 'string' && { folder: row['place'] }),
  };
}

/** Columns of `readRecord` beside those of `run_contents`. */
export const recordColumns = `
  ${summaryColumns}, caller_id, outcome, request, request_reason, deadline_ms, signal_count`;

export function readRecord(row: Row, plan: RunRecord['plan'], path: string): RunRecord {
  return {
    ...readSummary(row),
    plan,
    input: parseColumn(row, 'input', path),
    meta: parseColumn(row, 'meta', path),
    callerId: String(row['caller_id']),
    ...(row['outcome'] === null ? undefined : { outcome: parseColumn(row, 'outcome', path) }),
    request: readRequest(row),
    requestReason: textOrNull(row['request_reason']),
    deadlineMs: typeof row['deadline_ms'] === 'number' ? row['deadline_ms'] : null,
    signals: readNumber(row, 'signal_count'),
  };
}

export function readNotice(row: Row): RunNotice {
  return {
    runId: String(row['run_id']),
    request: readRequest(row),
    requestReason: textOrNull(row['request_reason']),
    signals: readNumber(row, 'signal_count'),
  };
}

export function readSignal(row: Row, path: string): SignalRecord {
  return { name: String(row['name']), payload: parseColumn(row, 'payload', path) };
}

/**
 * The entries of one commit as text. What most entries have in common is left out: a result is `[key, value]`,
 * that of a call that succeeded with an inline value `[key, startedAt, tookMs, value]`.
 */
export function writeEntries(entries: readonly JournalEntry[]): string {
  return JSON.stringify(entries.map(shortenEntry));
}

/** The entries of rows of `run_journal`, in order. */
export function readEntries(rows: readonly Row[], path: string): readonly JournalEntry[] {
  // One text is parsed faster than a thousand.
  const commits: readonly unknown[] = parseText(
    `[${rows.map((row) => String(row['entries'])).join(',')}]`,
    path,
  );
  return commits.flat().map((written) => {
    const entry: unknown = Array.isArray(written) ? restoreSettled(written) : written;
    if (isEntry(entry)) return entry;
    throw new CorruptDatabaseError(path, 'a part of the journal of a run is unreadable');
  });
}

/** Keys of a call outcome that succeeded with an inline value and nothing else. */
const callKeys = 'kind,held,startedAt,endedAt';

function shortenEntry(entry: JournalEntry): unknown {
  if (entry.kind !== 'settled') return entry;
  const { key, value } = entry;
  const { kind, held, startedAt, endedAt } = Object(value) as Readonly<Record<string, Json>>;
  const isCall =
    kind === 'succeeded' &&
    Number.isSafeInteger(startedAt) &&
    Number.isSafeInteger(endedAt) &&
    String(Object.keys(Object(value))) === callKeys &&
    String(Object.keys(Object(held))) === 'value';
  if (!isCall) return [key, value];
  const { value: output }: { readonly value?: Json } = Object(held);
  return [key, startedAt, Number(endedAt) - Number(startedAt), output];
}

function restoreSettled(written: readonly unknown[]): unknown {
  const [key, second, tookMs, value] = written;
  if (written.length === 2) return { kind: 'settled', key, value: second };
  const startedAt = Number(second);
  const endedAt = startedAt + Number(tookMs);
  if (written.length !== 4 || !Number.isSafeInteger(endedAt)) return undefined;
  return {
    kind: 'settled',
    key,
    value: { kind: 'succeeded', held: { value }, startedAt, endedAt },
  };
}

function isEntry(value: unknown): value is JournalEntry {
  const { kind, key, atMs, paths, ...rest }: Readonly<Record<string, unknown>> = Object(value);
  if (kind === 'forgotten') return Array.isArray(paths);
  if (typeof key !== 'string') return false;
  return kind === 'settled'
    ? rest['value'] !== undefined
    : (kind === 'due' || kind === 'began') && typeof atMs === 'number';
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

export function readNumber(row: Row, column: string): number {
  return Number(row[column]);
}

export function isoTime(row: Row, column: string): string {
  return new Date(readNumber(row, column)).toISOString();
}

function textOrNull(value: SQLOutputValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
