import { readNumber } from './run-rows.ts';
import type { Statements } from './sqlite-database.ts';

const findSql = 'SELECT run_key FROM runs WHERE run_id = ?';

/** More are executed at once by nobody; those beyond are looked up. */
const maxKept = 10_000;

/**
 * The numbers of runs by their ids, those used lately. A number is given to another run once its own is
 * gone, so who writes by it looks at the id, too.
 */
export class RunKeys {
  readonly #keys = new Map<string, number>();

  keep(runId: string, key: number): void {
    if (this.#keys.size >= maxKept) this.#keys.clear();
    this.#keys.set(runId, key);
  }

  /** 0, which no run has, when there is no such run. */
  of(statements: Statements, runId: string): number {
    const known = this.#keys.get(runId);
    if (known !== undefined) return known;
    const row = statements(findSql).get(runId);
    const key = row ? readNumber(row, 'run_key') : 0;
    if (row) this.keep(runId, key);
    return key;
  }

  /** Nobody is going to write to the run. */
  forget(runId: string): void {
    this.#keys.delete(runId);
  }
}
