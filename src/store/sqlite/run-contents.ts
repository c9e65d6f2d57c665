import { RecentValues } from '../../kernel/index.ts';
import type { NewRunRecord, RunRecord } from '../../workflow/engine/index.ts';
import { PlanTexts } from './plan-texts.ts';
import { parseColumn } from './run-rows.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';

/** What of a run never changes. */
export type Contents = Pick<RunRecord, 'plan' | 'input' | 'meta'>;

const insertSql = 'INSERT INTO run_contents (run_key, plan, input, meta) VALUES (?, ?, ?, ?)';

const findSql = `
  SELECT plan, input, meta FROM run_contents
  WHERE run_key = (SELECT run_key FROM runs WHERE run_id = ?)`;

/** Characters of contents that are kept; a plan counts for each of its runs. */
const keptLength = 16_777_216;

/** The contents of runs, those used lately without asking the database. */
export class RunContents {
  readonly #database: SqliteDatabase;
  readonly #plans = new PlanTexts();
  readonly #kept = new RecentValues<Contents>(keptLength);

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  add(statements: Statements, { runId, plan, input, meta }: NewRunRecord, key: number): void {
    const texts = [this.#plans.textOf(plan), JSON.stringify(input), JSON.stringify(meta)] as const;
    statements(insertSql).run(key, ...texts);
    // As they would be read: what was given may be changed by whoever gave it.
    const contents = { plan, input: JSON.parse(texts[1]), meta: JSON.parse(texts[2]) };
    this.#keep(runId, contents, texts);
  }

  /** Those used lately. */
  known(runId: string): Contents | undefined {
    return this.#kept.get(runId);
  }

  /** Undefined when there is no such run, or it was just removed. */
  of(runId: string): Contents | undefined {
    const known = this.#kept.get(runId);
    if (known) return known;
    const row = this.#database.readOne((statements) => statements(findSql).get(runId));
    if (!row) return undefined;
    const parse = (column: string): never => parseColumn(row, column, this.#database.options.path);
    const plan = this.#plans.planOf(String(row['plan']), () => parse('plan'));
    const contents: Contents = { plan, input: parse('input'), meta: parse('meta') };
    this.#keep(runId, contents, Object.values(row).map(String));
    return contents;
  }

  #keep(runId: string, contents: Contents, texts: readonly string[]): void {
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    this.#kept.set(runId, contents, length);
  }
}
