import { itemOfTurn } from '../../contract/memory/index.ts';
import { forgottenText } from '../../contract/session/index.ts';
import type { MemoryItemCounts } from '../../memory/index.ts';
import { insertItem } from './memory-rows.ts';
import { parseColumn } from './run-rows.ts';
import type { Statements } from './sqlite-database.ts';

const isNoItemYet = `
  NOT EXISTS (SELECT 1 FROM memory_items i
    WHERE i.session_id = t.session_id AND i.turn = t.number AND i.kind = 'turn')
  AND json_valid(t.turn)
  AND trim(t.turn ->> '$.text', char(9, 10, 13, 32)) NOT IN ('', '${forgottenText}')`;

const pendingSessionSql = `
  SELECT session_id, caller_id FROM memory_pending_sessions JOIN sessions USING (session_id)
  ORDER BY updated_at_ms DESC LIMIT 1`;
const turnsToIndexSql = `
  SELECT t.turn FROM session_turns t WHERE t.session_id = ? AND ${isNoItemYet} LIMIT ?`;
const sessionDoneSql = 'DELETE FROM memory_pending_sessions WHERE session_id = ?';

const countsSql = `
  SELECT (SELECT COUNT(*) FROM memory_items) AS items,
    (SELECT COUNT(*) FROM memory_words_docsize) AS indexed,
    (SELECT COUNT(*) FROM memory_vectors) AS vectors,
    (SELECT COUNT(*) FROM memory_vectors WHERE length(vector) <> ?) AS odd,
    (SELECT COUNT(*) FROM memory_pending_vectors) AS pendingVectors,
    (SELECT COUNT(*) FROM session_turns t WHERE ${isNoItemYet}) AS pendingTurns`;

/** Whether there are sessions from before there were memory items. */
export function hasPendingSession(statements: Statements): boolean {
  return statements(pendingSessionSql).get() !== undefined;
}

/** Makes items of the turns of one such session; gives how many turns it looked at, 0 when there is none. */
export function indexTurnsOfSession(statements: Statements, limit: number, path: string): number {
  const session = statements(pendingSessionSql).get();
  if (!session) return 0;
  const id = String(session['session_id']);
  const rows = statements(turnsToIndexSql).all(id, limit);
  for (const row of rows) {
    const item = itemOfTurn(id, parseColumn(row, 'turn', path));
    insertItem(statements, String(session['caller_id']), item);
  }
  if (rows.length < limit) statements(sessionDoneSql).run(id);
  // A session without turns is work that was done, too.
  return Math.max(1, rows.length);
}

export function countItems(statements: Statements, dimensions: number): MemoryItemCounts {
  const row = statements(countsSql).get(dimensions);
  const count = (name: string): number => Number(row?.[name] ?? 0);
  const items = count('items');
  const indexed = count('indexed');
  const vectors = count('vectors');
  const pendingVectors = count('pendingVectors');
  const odd = count('odd');
  const problems = [
    ...(items === indexed ? [] : [`${items} items, but ${indexed} entries in the index`]),
    ...(items === vectors + pendingVectors
      ? []
      : [`${items} items, but ${vectors} vectors and ${pendingVectors} pending`]),
    ...(odd === 0 ? [] : [`${odd} vectors of the wrong length`]),
  ];
  const pendingTurns = count('pendingTurns');
  return { items, indexed, vectors, pendingVectors, pendingTurns, problems };
}
