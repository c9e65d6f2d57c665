import type { Caller } from '../../contract/caller/index.ts';
import type { Row } from './run-rows.ts';
import type { Statements } from './sqlite-database.ts';

export interface MeaningSql {
  readonly exact: string;
  readonly prefix: string;
}

/** Runs of a caller (?2, null for anybody's) that are called like that (?1), or begin so and come before ?3. */
export function meaningSql(columns: string): MeaningSql {
  const sql = `SELECT ${columns} FROM runs WHERE (?2 IS NULL OR caller_id = ?2) AND`;
  return { exact: `${sql} run_id = ?1`, prefix: `${sql} run_id > ?1 AND run_id < ?3 LIMIT 2` };
}

/** The row of the run that is called just that, or the one row whose run begins like that. */
export function findMeant(
  statements: Statements,
  sql: MeaningSql,
  { runIdOrPrefix, caller }: { readonly runIdOrPrefix: string; readonly caller: Caller | null },
): Row | undefined {
  const callerId = caller?.id ?? null;
  const exact = statements(sql.exact).get(runIdOrPrefix, callerId);
  if (exact) return exact;
  const end = `${runIdOrPrefix}\u{10ffff}`;
  const [only, another] = statements(sql.prefix).all(runIdOrPrefix, callerId, end);
  return another ? undefined : only;
}
