import type { SignalRecord } from '../../workflow/engine/index.ts';
import type { Statements } from './sqlite-database.ts';

const addSql = `
  INSERT INTO run_signals (run_id, name, payload, place)
  SELECT run_id, ?2, ?3, COALESCE((SELECT MAX(place) FROM run_signals WHERE run_id = ?1), 0) + 1
  FROM runs WHERE run_id = ?1 ON CONFLICT DO NOTHING`;

const countSql = `
  UPDATE runs SET wake_at_ms = 0,
    signal_count = (SELECT COUNT(*) FROM run_signals WHERE run_signals.run_id = runs.run_id)
  WHERE run_id = ?`;

/**
 * Gives a run a signal, within the transaction of `statements`. False, and nothing is written, when it
 * has one of that name or there is no such run.
 */
export function addRunSignal(
  statements: Statements,
  runId: string,
  { name, payload }: SignalRecord,
): boolean {
  const { changes } = statements(addSql).run(runId, name, JSON.stringify(payload));
  if (changes === 0) return false;
  countRunSignals(statements, runId);
  return true;
}

/** Notes how many signals a run has, and that it has something to do. */
export function countRunSignals(statements: Statements, runId: string): void {
  statements(countSql).run(runId);
}
