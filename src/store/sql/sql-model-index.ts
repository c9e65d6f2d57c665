import type { ModelIndex } from '../../artifacts/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import { modelVersionSchema, type AliasMove, type ModelVersion } from '../../contract/ml/index.ts';
import { all, one, type SqlDatabase, type SqlRow, type SqlWork } from './sql-database.ts';

const latestSql = `
  SELECT record FROM model_versions WHERE caller_id = $1 AND name = $2 ORDER BY version DESC LIMIT 1`;
const versionSql = `
  SELECT record FROM model_versions WHERE caller_id = $1 AND name = $2 AND version = $3`;
const byRunSql = `
  SELECT record FROM model_versions WHERE caller_id = $1 AND name = $2 AND run_key = $3`;
const listSql = `
  SELECT record FROM model_versions WHERE caller_id = $1 ORDER BY sequence DESC LIMIT $2`;
const nextSql = `
  SELECT COALESCE(MAX(version), 0) + 1 AS next FROM model_versions WHERE caller_id = $1 AND name = $2`;
const insertSql = `
  INSERT INTO model_versions (caller_id, name, version, run_key, record, created_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6)`;
const aliasSql = `
  SELECT version FROM model_alias_moves WHERE caller_id = $1 AND name = $2 AND alias = $3
  ORDER BY id DESC LIMIT 1`;
const moveSql = `
  INSERT INTO model_alias_moves (caller_id, name, alias, version, previous, reason, at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;
const movesSql = `
  SELECT * FROM model_alias_moves WHERE caller_id = $1 AND name = $2 ORDER BY id DESC LIMIT $3`;

/** Keeps models and the moves of their aliases. */
export class SqlModelIndex implements ModelIndex {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async add(caller: Caller, model: Omit<ModelVersion, 'version'>): Promise<ModelVersion> {
    const { name, createdAt } = model;
    const runKey = model.card.run.key;
    return this.#write(caller, function* () {
      const known = modelOf(yield* one(byRunSql, caller.id, name, runKey));
      if (known) return known;
      const version = Number((yield* one(nextSql, caller.id, name))?.['next']);
      const added = { ...model, version };
      const record = JSON.stringify(added);
      yield* all(insertSql, caller.id, name, version, runKey, record, Date.parse(createdAt));
      return added;
    });
  }

  async find(
    caller: Caller,
    name: string,
    which: Parameters<ModelIndex['find']>[2],
  ): Promise<ModelVersion | undefined> {
    if (!this.#database.exists) return undefined;
    return this.#database.read(function* () {
      if (which === 'latest') return modelOf(yield* one(latestSql, caller.id, name));
      const version =
        'version' in which
          ? which.version
          : Number((yield* one(aliasSql, caller.id, name, which.alias))?.['version'] ?? 0);
      return modelOf(yield* one(versionSql, caller.id, name, version));
    });
  }

  async byRun(caller: Caller, name: string, runKey: string): Promise<ModelVersion | undefined> {
    const [row] = await this.#database.rows(byRunSql, caller.id, name, runKey);
    return modelOf(row);
  }

  async list(caller: Caller, limit: number): Promise<readonly ModelVersion[]> {
    const rows = await this.#database.rows(listSql, caller.id, limit);
    return rows.flatMap((row) => modelOf(row) ?? []);
  }

  async addMove(caller: Caller, move: Omit<AliasMove, 'previous'>): Promise<AliasMove> {
    const { name, alias, version, reason, at } = move;
    return this.#write(caller, function* () {
      const found = (yield* one(aliasSql, caller.id, name, alias))?.['version'];
      const previous = found === undefined ? null : Number(found);
      const values = [version, previous, reason, Date.parse(at)] as const;
      yield* all(moveSql, caller.id, name, alias, ...values);
      return { ...move, previous };
    });
  }

  async moves(caller: Caller, name: string, limit: number): Promise<readonly AliasMove[]> {
    return (await this.#database.rows(movesSql, caller.id, name, limit)).map(moveOf);
  }

  /** A model that is in the store survives the loss of power. */
  #write<Result>(caller: Caller, work: () => SqlWork<Result>): Promise<Result> {
    return this.#database.write({ locks: [`models ${caller.id}`], durability: 'full' }, work);
  }
}

function modelOf(row: SqlRow | undefined): ModelVersion | undefined {
  return row && modelVersionSchema.parse(JSON.parse(String(row['record'])));
}

function moveOf(row: SqlRow): AliasMove {
  return {
    name: String(row['name']),
    alias: String(row['alias']),
    version: Number(row['version']),
    previous: row['previous'] === null ? null : Number(row['previous']),
    reason: String(row['reason']),
    at: new Date(Number(row['at_ms'])).toISOString(),
  };
}
