import type { SQLOutputValue } from 'node:sqlite';
import type { ModelIndex } from '../../artifacts/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import { modelVersionSchema, type AliasMove, type ModelVersion } from '../../contract/ml/index.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

type Row = Readonly<Record<string, SQLOutputValue>>;

const latestSql = `
  SELECT record FROM model_versions WHERE caller_id = ? AND name = ? ORDER BY version DESC LIMIT 1`;
const versionSql = `
  SELECT record FROM model_versions WHERE caller_id = ? AND name = ? AND version = ?`;
const byRunSql = `
  SELECT record FROM model_versions WHERE caller_id = ? AND name = ? AND run_key = ?`;
const listSql = `
  SELECT record FROM model_versions WHERE caller_id = ? ORDER BY sequence DESC LIMIT ?`;
const nextSql = `
  SELECT COALESCE(MAX(version), 0) + 1 AS next FROM model_versions WHERE caller_id = ? AND name = ?`;
const insertSql = `
  INSERT INTO model_versions (caller_id, name, version, run_key, record, created_at_ms)
  VALUES (?, ?, ?, ?, ?, ?)`;
const aliasSql = `
  SELECT version FROM model_alias_moves WHERE caller_id = ? AND name = ? AND alias = ?
  ORDER BY id DESC LIMIT 1`;
const moveSql = `
  INSERT INTO model_alias_moves (caller_id, name, alias, version, previous, reason, at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const movesSql = `
  SELECT * FROM model_alias_moves WHERE caller_id = ? AND name = ? ORDER BY id DESC LIMIT ?`;

/** A model that is in the store survives the loss of power. */
const terms = { durability: 'full', busyTimeoutMs: 250 } as const;

/** Keeps models and the moves of their aliases in SQLite. */
export class SqliteModelIndex implements ModelIndex {
  readonly #database: SqliteDatabase;
  readonly #patienceMs: number;

  constructor(database: SqliteDatabase, { patienceMs }: { readonly patienceMs: number }) {
    this.#database = database;
    this.#patienceMs = patienceMs;
  }

  async add(caller: Caller, model: Omit<ModelVersion, 'version'>): Promise<ModelVersion> {
    const runKey = model.card.run.key;
    return this.#write((statements) => {
      const known = modelOf(statements(byRunSql).get(caller.id, model.name, runKey));
      if (known) return known;
      const version = Number(statements(nextSql).get(caller.id, model.name)?.['next']);
      const added = { ...model, version };
      const { name, createdAt } = model;
      const record = JSON.stringify(added);
      statements(insertSql).run(caller.id, name, version, runKey, record, Date.parse(createdAt));
      return added;
    });
  }

  async find(
    caller: Caller,
    name: string,
    which: Parameters<ModelIndex['find']>[2],
  ): Promise<ModelVersion | undefined> {
    return this.#read(undefined, (statements) => {
      if (which === 'latest') return modelOf(statements(latestSql).get(caller.id, name));
      const version =
        'version' in which
          ? which.version
          : Number(statements(aliasSql).get(caller.id, name, which.alias)?.['version'] ?? 0);
      return modelOf(statements(versionSql).get(caller.id, name, version));
    });
  }

  async byRun(caller: Caller, name: string, runKey: string): Promise<ModelVersion | undefined> {
    return this.#read(undefined, (statements) =>
      modelOf(statements(byRunSql).get(caller.id, name, runKey)),
    );
  }

  async list(caller: Caller, limit: number): Promise<readonly ModelVersion[]> {
    return this.#read([], (statements) =>
      statements(listSql)
        .all(caller.id, limit)
        .flatMap((row) => modelOf(row) ?? []),
    );
  }

  async addMove(caller: Caller, move: Omit<AliasMove, 'previous'>): Promise<AliasMove> {
    const { name, alias, version, reason, at } = move;
    return this.#write((statements) => {
      const found = statements(aliasSql).get(caller.id, name, alias)?.['version'];
      const previous = found === undefined ? null : Number(found);
      statements(moveSql).run(caller.id, name, alias, version, previous, reason, Date.parse(at));
      return { ...move, previous };
    });
  }

  async moves(caller: Caller, name: string, limit: number): Promise<readonly AliasMove[]> {
    return this.#read([], (statements) =>
      statements(movesSql).all(caller.id, name, limit).map(moveOf),
    );
  }

  #write<Result>(work: (statements: Statements) => Result): Promise<Result> {
    return whileStoreBusy(this.#patienceMs, () => this.#database.write(terms, work));
  }

  /** A read must not create the database. */
  #read<Result>(none: Result, work: (statements: Statements) => Result): Result {
    return this.#database.exists ? this.#database.read(work) : none;
  }
}

function modelOf(row: Row | undefined): ModelVersion | undefined {
  return row && modelVersionSchema.parse(JSON.parse(String(row['record'])));
}

function moveOf(row: Row): AliasMove {
  return {
    name: String(row['name']),
    alias: String(row['alias']),
    version: Number(row['version']),
    previous: row['previous'] === null ? null : Number(row['previous']),
    reason: String(row['reason']),
    at: new Date(Number(row['at_ms'])).toISOString(),
  };
}
