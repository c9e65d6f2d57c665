import type { NewRunRecord, RunOwner } from '../../workflow/engine/index.ts';
import type { Statements } from './sqlite-database.ts';

const insertRunSql = `
  INSERT INTO runs (run_id, caller_id, engine, status, name, goal, created_at_ms, deadline_ms, forked_from,
    idempotency_key, place)
  VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?)`;

const insertTakenSql = `
  INSERT INTO runs (run_id, caller_id, engine, status, name, goal, created_at_ms, deadline_ms, forked_from,
    idempotency_key, place, epoch, lease_owner, lease_pid, lease_process_start, lease_ms, lease_until_ms,
    started_at_ms)
  VALUES (?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?)`;

/** Who takes a run on as it is stored, and when. */
export interface FirstLease {
  readonly owner: RunOwner;
  readonly takenAtMs: number;
  readonly untilMs: number;
}

/** Writes the row of a new run and gives its number. */
export function insertRun(statements: Statements, run: NewRunRecord, lease?: FirstLease): number {
  const { plan } = run;
  const cells = [
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
  ] as const;
  if (!lease) return Number(statements(insertRunSql).run(...cells).lastInsertRowid);
  const { owner, takenAtMs, untilMs } = lease;
  const taken = [
    owner.id,
    owner.pid,
    owner.processStart,
    owner.leaseMs,
    untilMs,
    takenAtMs,
  ] as const;
  return Number(statements(insertTakenSql).run(...cells, ...taken).lastInsertRowid);
}
