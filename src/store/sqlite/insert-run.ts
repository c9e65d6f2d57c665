import type { NewRunRecord } from '../../workflow/engine/index.ts';
import type { Statements } from './sqlite-database.ts';

const insertRunSql = `
  INSERT INTO runs (run_id, caller_id, engine, status, name, goal, created_at_ms, deadline_ms, forked_from,
    idempotency_key, place)
  VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?)`;

/** Writes the row of a new run and gives its number. */
export function insertRun(statements: Statements, run: NewRunRecord): number {
  const { plan } = run;
  const { lastInsertRowid } = statements(insertRunSql).run(
    run.runId,
    run.callerId,
    run.engine,
    plan.name ?? null,
    plan.goal ?? null,
    run.createdAtMs,
    run.deadlineMs,
    run.forkedFrom,
    run.idempotencyKey,
    run.place ?? null,
  );
  return Number(lastInsertRowid);
}
