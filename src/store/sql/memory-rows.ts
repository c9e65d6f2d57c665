import type { MemoryFilter, MemoryItem, MemorySource } from '../../contract/memory/index.ts';
import { isoTime, parseColumn, readNumber } from '../sqlite/run-rows.ts';
import { one, type SqlRow, type SqlValue, type SqlWork } from './sql-database.ts';
import type { VectorFilter, VectorTraits } from './vector-index.ts';

const insertSql = `
  INSERT INTO memory_items (item_id, caller_id, kind, status, sensitivity, pinned, text, source, session_id,
    turn, run_id, observed_at_ms, valid_from_ms, valid_until_ms, supersedes, superseded_by)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING
  RETURNING item_key`;

const turnSql = `
  SELECT 1 FROM session_turns JOIN sessions USING (session_id)
  WHERE session_id = $1 AND number = $2 AND caller_id = $3`;
const runSql = 'SELECT 1 FROM runs WHERE run_id = $1 AND caller_id = $2';

/** The key of the new row; undefined where the id is taken, or there is no item. */
export function* insertItem(
  callerId: string,
  item: MemoryItem | undefined,
): SqlWork<number | undefined> {
  if (!item) return undefined;
  const { source } = item;
  const turn = source.kind === 'turn' ? ([source.session, source.turn] as const) : [null, null];
  const added = yield* one(
    insertSql,
    item.id,
    callerId,
    item.kind,
    item.status,
    item.sensitivity,
    item.pinned ? 1 : 0,
    item.text,
    JSON.stringify(source),
    ...turn,
    source.kind === 'run' ? source.runId : null,
    Date.parse(item.observedAt),
    Date.parse(item.validFrom),
    item.validUntil === null ? null : Date.parse(item.validUntil),
    item.supersedes,
    item.supersededBy,
  );
  return added && readNumber(added, 'item_key');
}

/** Whether what an item comes from is there and the caller's. */
export function* isSourceKnown(callerId: string, source: MemorySource): SqlWork<boolean> {
  switch (source.kind) {
    case 'turn':
      return (yield* one(turnSql, source.session, source.turn, callerId)) !== undefined;
    case 'run':
      return (yield* one(runSql, source.runId, callerId)) !== undefined;
    case 'file':
    case 'person':
      return true;
  }
}

export function readItem(row: SqlRow, path: string): MemoryItem {
  return {
    id: String(row['item_id']),
    // Only this store writes the columns, from the same types.
    kind: String(row['kind']) as MemoryItem['kind'],
    text: String(row['text']),
    source: parseColumn(row, 'source', path),
    status: String(row['status']) as MemoryItem['status'],
    sensitivity: String(row['sensitivity']) as MemoryItem['sensitivity'],
    pinned: row['pinned'] === 1,
    observedAt: isoTime(row, 'observed_at_ms'),
    validFrom: isoTime(row, 'valid_from_ms'),
    validUntil: row['valid_until_ms'] === null ? null : isoTime(row, 'valid_until_ms'),
    supersedes: row['supersedes'] === null ? null : String(row['supersedes']),
    supersededBy: row['superseded_by'] === null ? null : String(row['superseded_by']),
  };
}

export function readTraits(row: SqlRow): VectorTraits {
  return {
    kind: String(row['kind']),
    status: String(row['status']),
    sensitivity: String(row['sensitivity']),
    observedAtMs: readNumber(row, 'observed_at_ms'),
    validFromMs: readNumber(row, 'valid_from_ms'),
    validUntilMs: row['valid_until_ms'] === null ? Infinity : readNumber(row, 'valid_until_ms'),
  };
}

/** The filter over `memory_items AS i`, whose values are those of `filterCells`: $1 to $8. */
export const isWantedSql = `
  i.caller_id = $1
  AND i.status IN (SELECT value FROM json_each($2))
  AND i.sensitivity IN (SELECT value FROM json_each($3))
  AND (CAST($4 AS TEXT) IS NULL OR i.kind IN (SELECT value FROM json_each($4)))
  AND (CAST($5 AS BIGINT) IS NULL
    OR (i.valid_from_ms <= $5 AND (i.valid_until_ms IS NULL OR i.valid_until_ms > $5)))
  AND i.observed_at_ms BETWEEN $6 AND $7
  AND (CAST($8 AS TEXT) IS NULL OR i.session_id = $8)`;

export function filterCells(callerId: string, filter: MemoryFilter): readonly SqlValue[] {
  const { kinds, statuses, sensitivities, session } = withDefaults(filter);
  const { validAt, observedFrom, observedUntil } = filter;
  return [
    callerId,
    JSON.stringify(statuses),
    JSON.stringify(sensitivities),
    kinds === undefined ? null : JSON.stringify(kinds),
    validAt === undefined ? null : Date.parse(validAt),
    observedFrom === undefined ? Number.MIN_SAFE_INTEGER : Date.parse(observedFrom),
    observedUntil === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(observedUntil),
    session ?? null,
  ];
}

/** The same filter for vectors in memory, but for the session. */
export function vectorFilter(filter: MemoryFilter): VectorFilter {
  const { kinds, statuses, sensitivities } = withDefaults(filter);
  const { validAt, observedFrom, observedUntil } = filter;
  return {
    isWanted: (label) =>
      statuses.includes(label.status) &&
      sensitivities.includes(label.sensitivity) &&
      (kinds === undefined || kinds.includes(label.kind)),
    observedFromMs: observedFrom === undefined ? -Infinity : Date.parse(observedFrom),
    observedUntilMs: observedUntil === undefined ? Infinity : Date.parse(observedUntil),
    validAtMs: validAt === undefined ? undefined : Date.parse(validAt),
  };
}

function withDefaults(filter: MemoryFilter) {
  const statuses: readonly string[] = filter.statuses ?? ['active'];
  const sensitivities: readonly string[] = filter.sensitivities ?? ['normal'];
  const kinds: readonly string[] | undefined = filter.kinds;
  return { statuses, sensitivities, kinds, session: filter.session };
}
