import type { ArtifactIndex, ArtifactMaker } from '../../artifacts/index.ts';
import type { ArtifactFilter } from '../../contract/artifact/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

const insertSql = `
  INSERT INTO artifact_makers (artifact_id, caller_id, run_id, step, bytes, media_type, tool,
                               arguments_digest, inputs, created_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

const makersSql = `
  SELECT * FROM artifact_makers WHERE artifact_id = ? AND caller_id = ? ORDER BY id LIMIT ?`;

const recentSql = `
  SELECT artifact_id, MAX(id) AS latest FROM artifact_makers
  WHERE caller_id = ? GROUP BY artifact_id ORDER BY latest DESC LIMIT ?`;

const recentOfRunSql = `
  SELECT artifact_id, MAX(id) AS latest FROM artifact_makers
  WHERE caller_id = ? AND run_id = ? GROUP BY artifact_id ORDER BY latest DESC LIMIT ?`;

/** Makes a run (the first value) a maker of all that another one of its caller (the others) made. */
export const inheritMakersSql = `
  INSERT INTO artifact_makers (artifact_id, caller_id, run_id, step, bytes, media_type, tool,
                               arguments_digest, inputs, created_at_ms)
  SELECT artifact_id, caller_id, ?, step, bytes, media_type, tool, arguments_digest, inputs, created_at_ms
  FROM artifact_makers WHERE caller_id = ? AND run_id = ? ORDER BY id ON CONFLICT DO NOTHING`;

export const releaseMakersSql = 'DELETE FROM artifact_makers WHERE caller_id = ? AND run_id = ?';

const usedSql = 'SELECT 1 FROM artifact_makers WHERE artifact_id = ? LIMIT 1';

/** Keeps in SQLite who made which artifact. Its write lock is what keeps adding and collecting apart. */
export class SqliteArtifactIndex implements ArtifactIndex {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  async add(maker: ArtifactMaker, isThere: () => boolean): Promise<boolean> {
    const { id, callerId, bytes, mediaType, lineage } = maker;
    const { runId, step, tool, argumentsDigest, inputs, createdAt } = lineage;
    const what = [id, callerId, runId, step, bytes, mediaType, tool, argumentsDigest] as const;
    return this.#database.write({ durability: 'full' }, (statements) => {
      if (!isThere()) return false;
      statements(insertSql).run(...what, JSON.stringify(inputs), Date.parse(createdAt));
      return true;
    });
  }

  async makersOf(caller: Caller, id: string, limit: number): Promise<readonly ArtifactMaker[]> {
    return this.#database.read((statements) =>
      statements(makersSql).all(id, caller.id, limit).map(makerOf),
    );
  }

  async recent(caller: Caller, { runId, limit }: ArtifactFilter): Promise<readonly string[]> {
    // A read must not create the database.
    if (!this.#database.exists) return [];
    const rows = this.#database.read((statements) =>
      runId === undefined
        ? statements(recentSql).all(caller.id, limit)
        : statements(recentOfRunSql).all(caller.id, runId, limit),
    );
    return rows.map((row) => String(row['artifact_id']));
  }

  async release(caller: Caller, runIds: readonly string[]): Promise<void> {
    // A row that came back with the power would miss a file that was removed because it had gone.
    this.#database.write({ durability: 'full' }, (statements) => {
      for (const runId of runIds) statements(releaseMakersSql).run(caller.id, runId);
    });
  }

  async forUnused(ids: readonly string[], use: (id: string) => void): Promise<void> {
    this.#database.write({ durability: 'normal' }, (statements) => {
      for (const id of ids) if (statements(usedSql).get(id) === undefined) use(id);
    });
  }
}

function makerOf(row: Readonly<Record<string, unknown>>): ArtifactMaker {
  return {
    id: String(row['artifact_id']),
    callerId: String(row['caller_id']),
    bytes: Number(row['bytes']),
    mediaType: String(row['media_type']),
    lineage: {
      runId: String(row['run_id']),
      step: String(row['step']),
      tool: textOrNull(row['tool']),
      argumentsDigest: textOrNull(row['arguments_digest']),
      inputs: textsOf(String(row['inputs'])),
      createdAt: new Date(Number(row['created_at_ms'])).toISOString(),
    },
  };
}

function textOrNull(cell: unknown): string | null {
  return typeof cell === 'string' ? cell : null;
}

/** Empty where the row was damaged: the inputs of an artifact are shown, not relied on. */
function textsOf(json: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
