import type { ArtifactIndex, ArtifactMaker } from '../../artifacts/index.ts';
import type { ArtifactFilter } from '../../contract/artifact/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import { all, one, type SqlDatabase, type SqlRow, type SqlWork } from './sql-database.ts';

const insertSql = `
  INSERT INTO artifact_makers (artifact_id, caller_id, run_id, step, bytes, media_type, tool,
                               arguments_digest, inputs, created_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`;

const makersSql = `
  SELECT * FROM artifact_makers WHERE artifact_id = $1 AND caller_id = $2 ORDER BY id LIMIT $3`;

const recentSql = `
  SELECT artifact_id, MAX(id) AS latest FROM artifact_makers
  WHERE caller_id = $1 GROUP BY artifact_id ORDER BY latest DESC LIMIT $2`;

const recentOfRunSql = `
  SELECT artifact_id, MAX(id) AS latest FROM artifact_makers
  WHERE caller_id = $1 AND run_id = $2 GROUP BY artifact_id ORDER BY latest DESC LIMIT $3`;

/** Makes a run (the first value) a maker of all that another one of its caller (the others) made. */
export const inheritMakersSql = `
  INSERT INTO artifact_makers (artifact_id, caller_id, run_id, step, bytes, media_type, tool,
                               arguments_digest, inputs, created_at_ms)
  SELECT artifact_id, caller_id, $1, step, bytes, media_type, tool, arguments_digest, inputs, created_at_ms
  FROM artifact_makers WHERE caller_id = $2 AND run_id = $3 ORDER BY id ON CONFLICT DO NOTHING`;

export const releaseMakersSql = 'DELETE FROM artifact_makers WHERE caller_id = $1 AND run_id = $2';

const usedSql = 'SELECT 1 FROM artifact_makers WHERE artifact_id = $1 LIMIT 1';

/** Under it makers are added, inherited and released, and unused artifacts removed. */
export const artifactLock = 'artifacts';

/** Keeps who made which artifact. Its lock is what keeps adding and collecting apart. */
export class SqlArtifactIndex implements ArtifactIndex {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  add(maker: ArtifactMaker, isThere: () => boolean): Promise<boolean> {
    const { id, callerId, bytes, mediaType, lineage } = maker;
    const { runId, step, tool, argumentsDigest, inputs, createdAt } = lineage;
    const what = [id, callerId, runId, step, bytes, mediaType, tool, argumentsDigest] as const;
    return this.#write('full', function* () {
      if (!isThere()) return false;
      yield* all(insertSql, ...what, JSON.stringify(inputs), Date.parse(createdAt));
      return true;
    });
  }

  async makersOf(caller: Caller, id: string, limit: number): Promise<readonly ArtifactMaker[]> {
    return (await this.#database.rows(makersSql, id, caller.id, limit)).map(makerOf);
  }

  async recent(caller: Caller, { runId, limit }: ArtifactFilter): Promise<readonly string[]> {
    const rows =
      runId === undefined
        ? await this.#database.rows(recentSql, caller.id, limit)
        : await this.#database.rows(recentOfRunSql, caller.id, runId, limit);
    return rows.map((row) => String(row['artifact_id']));
  }

  async release(caller: Caller, runIds: readonly string[]): Promise<void> {
    // A row that came back with the power would miss a file that was removed because it had gone.
    await this.#write('full', function* () {
      for (const runId of runIds) yield* all(releaseMakersSql, caller.id, runId);
    });
  }

  async forUnused(ids: readonly string[], use: (id: string) => void): Promise<void> {
    await this.#write('normal', function* () {
      for (const id of ids) if ((yield* one(usedSql, id)) === undefined) use(id);
    });
  }

  #write<Result>(durability: 'full' | 'normal', work: () => SqlWork<Result>): Promise<Result> {
    return this.#database.write({ locks: [artifactLock], durability }, work);
  }
}

function makerOf(row: SqlRow): ArtifactMaker {
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
