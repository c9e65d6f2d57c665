import type { PrunedRun } from '../../workflow/engine/index.ts';
import { removeJournalSql } from './run-journals.ts';
import { releaseMakersSql } from './sqlite-artifact-index.ts';
import type { Statements } from './sqlite-database.ts';

const endedSql = `
  SELECT run_id, caller_id FROM runs WHERE ended_at_ms IS NOT NULL AND ended_at_ms < ? ORDER BY ended_at_ms LIMIT ?`;

/** The row of the run last: the others are found by it. */
const removeSql = [
  removeJournalSql,
  'DELETE FROM run_signals WHERE run_id = ?',
  'DELETE FROM run_contents WHERE run_key = (SELECT run_key FROM runs WHERE run_id = ?)',
  'DELETE FROM effects WHERE run_id = ?',
  'DELETE FROM approvals WHERE run_id = ?',
  'DELETE FROM runs WHERE run_id = ?',
] as const;

/** Removes runs that ended before this time, at most so many, within the transaction of `statements`. */
export function removeEndedRuns(
  statements: Statements,
  endedBeforeMs: number,
  limit: number,
): readonly PrunedRun[] {
  const rows = statements(endedSql).all(endedBeforeMs, limit);
  const runs = rows.map((row) => ({
    runId: String(row['run_id']),
    callerId: String(row['caller_id']),
  }));
  for (const sql of removeSql) for (const { runId } of runs) statements(sql).run(runId);
  for (const { runId, callerId } of runs) statements(releaseMakersSql).run(callerId, runId);
  return runs;
}
