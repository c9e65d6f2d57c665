import { itemOfTurn } from '../../contract/memory/index.ts';
import { forgottenText } from '../../contract/session/index.ts';
import type { MemoryItemCounts } from '../../memory/index.ts';
import { insertItem } from './memory-rows.ts';
import { parseColumn } from '../sqlite/run-rows.ts';
import { all, one, type SqlWork } from './sql-database.ts';

const isNoItemYet = (turnText: string): string => `
  NOT EXISTS (SELECT 1 FROM memory_items i
    WHERE i.session_id = t.session_id AND i.turn = t.number AND i.kind = 'turn')
  AND ${turnText} NOT IN ('', '${forgottenText}')`;

const pendingSessionSql = `
  SELECT session_id, caller_id FROM memory_pending_sessions JOIN sessions USING (session_id)
  ORDER BY updated_at_ms DESC LIMIT 1`;
const turnsToIndexSql = (turnText: string): string => `
  SELECT t.turn FROM session_turns t WHERE t.session_id = $1 AND ${isNoItemYet(turnText)}
  ORDER BY t.number LIMIT $2`;
const sessionDoneSql = 'DELETE FROM memory_pending_sessions WHERE session_id = $1';

const countsSql = ({ turnText, indexedSql }: MemoryTexts): string => `
  SELECT (SELECT COUNT(*) FROM memory_items) AS items,
    (${indexedSql}) AS indexed,
    (SELECT COUNT(*) FROM memory_vectors) AS vectors,
    (SELECT COUNT(*) FROM memory_vectors WHERE length(vector) <> $1) AS odd,
    (SELECT COUNT(*) FROM memory_pending_vectors) AS pending_vectors,
    (SELECT COUNT(*) FROM session_turns t WHERE ${isNoItemYet(turnText)}) AS pending_turns`;

/** What the two databases say in different words. */
export interface MemoryTexts {
  /** The text of turn `t`, without blanks around it. */
  readonly turnText: string;
  /** How many items are in the index of words. */
  readonly indexedSql: string;
}

/** Whether there are sessions from before there were memory items. */
export function* hasPendingSession(): SqlWork<boolean> {
  return (yield* one(pendingSessionSql)) !== undefined;
}

/** Makes items of the turns of one such session; gives how many turns it looked at, 0 when there is none. */
export function* indexTurnsOfSession(
  { turnText }: MemoryTexts,
  limit: number,
  path: string,
): SqlWork<number> {
  const session = yield* one(pendingSessionSql);
  if (!session) return 0;
  const id = String(session['session_id']);
  const rows = yield* all(turnsToIndexSql(turnText), id, limit);
  for (const row of rows) {
    const item = itemOfTurn(id, parseColumn(row, 'turn', path));
    yield* insertItem(String(session['caller_id']), item);
  }
  if (rows.length < limit) yield* all(sessionDoneSql, id);
  // A session without turns is work that was done, too.
  return Math.max(1, rows.length);
}

export function* countItems(texts: MemoryTexts, dimensions: number): SqlWork<MemoryItemCounts> {
  const row = yield* one(countsSql(texts), dimensions);
  const count = (name: string): number => Number(row?.[name] ?? 0);
  const items = count('items');
  const indexed = count('indexed');
  const vectors = count('vectors');
  const pendingVectors = count('pending_vectors');
  const odd = count('odd');
  const problems = [
    ...(items === indexed ? [] : [`${items} items, but ${indexed} entries in the index`]),
    ...(items === vectors + pendingVectors
      ? []
      : [`${items} items, but ${vectors} vectors and ${pendingVectors} pending`]),
    ...(odd === 0 ? [] : [`${odd} vectors of the wrong length`]),
  ];
  const pendingTurns = count('pending_turns');
  return { items, indexed, vectors, pendingVectors, pendingTurns, problems };
}
