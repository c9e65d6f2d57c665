import {
  forgetAfterMs,
  goneAfterMs,
  maxInstances,
  type Instance,
  type InstanceReport,
  type InstanceStore,
} from '../../contract/instance/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { all, one, type SqlDatabase, type SqlRow, type SqlWork } from './sql-database.ts';

const beatSql = `
  INSERT INTO instances (instance_id, host, version, address, is_draining, servers, calls, runs,
                         started_at_ms, beat_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
  ON CONFLICT (instance_id) DO UPDATE SET is_draining = excluded.is_draining, servers = excluded.servers,
    calls = excluded.calls, runs = excluded.runs, beat_at_ms = excluded.beat_at_ms
  RETURNING is_drain_requested`;

const pruneSql = 'DELETE FROM instances WHERE beat_at_ms <= $1';

const listSql = `
  SELECT * FROM instances WHERE beat_at_ms > $1 ORDER BY started_at_ms, instance_id LIMIT $2`;

const drainSql =
  'UPDATE instances SET is_drain_requested = 1 WHERE instance_id = $1 RETURNING instance_id';

const removeSql = 'DELETE FROM instances WHERE instance_id = $1';

/** A beat that is lost comes again. */
const terms = { locks: ['instances'], durability: 'normal' } as const;

/** Keeps the instances that share a database. */
export class SqlInstanceStore implements InstanceStore {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;

  constructor(database: SqlDatabase, { clock }: { readonly clock: Clock }) {
    this.#database = database;
    this.#clock = clock;
  }

  beat(report: InstanceReport): Promise<{ readonly isDrainRequested: boolean }> {
    const { id, host, version, address, isDraining, servers, calls, runs } = report;
    const nowOf = (): number => this.#nowMs;
    const about = [id, host, version, address, Number(isDraining), servers, calls, runs] as const;
    return this.#database.write(terms, function* (): SqlWork<{
      readonly isDrainRequested: boolean;
    }> {
      // Read under the lock, so that no beat is dated before one that was committed earlier.
      const nowMs = nowOf();
      yield* all(pruneSql, nowMs - forgetAfterMs);
      const row = yield* one(beatSql, ...about, nowMs);
      return { isDrainRequested: row?.['is_drain_requested'] === 1 };
    });
  }

  async list(): Promise<readonly Instance[]> {
    const nowMs = this.#nowMs;
    const rows = await this.#database.rows(listSql, nowMs - forgetAfterMs, maxInstances);
    return rows.map((row) => readInstance(row, nowMs));
  }

  async requestDrain(id: string): Promise<boolean> {
    if (!this.#database.exists) return false;
    return this.#database.write(terms, function* () {
      return (yield* one(drainSql, id)) !== undefined;
    });
  }

  async remove(id: string): Promise<void> {
    await this.#database.write(terms, () => all(removeSql, id));
  }

  get #nowMs(): number {
    return Math.floor(this.#clock.now());
  }
}

function readInstance(row: SqlRow, nowMs: number): Instance {
  const beatAtMs = Number(row['beat_at_ms']);
  const isDraining = row['is_draining'] === 1;
  const isGone = nowMs - beatAtMs >= goneAfterMs;
  const isToDrain = isDraining || row['is_drain_requested'] === 1;
  return {
    id: String(row['instance_id']),
    host: String(row['host']),
    version: String(row['version']),
    address: String(row['address']),
    isDraining,
    servers: Number(row['servers']),
    calls: Number(row['calls']),
    runs: Number(row['runs']),
    state: isGone ? 'gone' : isToDrain ? 'draining' : 'serving',
    startedAt: new Date(Number(row['started_at_ms'])).toISOString(),
    lastBeatAt: new Date(beatAtMs).toISOString(),
  };
}
