import {
  forgetAfterMs,
  goneAfterMs,
  maxInstances,
  type Instance,
  type InstanceReport,
  type InstanceStore,
} from '../../contract/instance/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

const beatSql = `
  INSERT INTO instances (instance_id, host, version, address, is_draining, servers, calls, runs,
                         started_at_ms, beat_at_ms)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)
  ON CONFLICT DO UPDATE SET is_draining = ?5, servers = ?6, calls = ?7, runs = ?8, beat_at_ms = ?9
  RETURNING is_drain_requested`;

const pruneSql = 'DELETE FROM instances WHERE beat_at_ms <= ?';

const listSql = `
  SELECT * FROM instances WHERE beat_at_ms > ? ORDER BY started_at_ms, instance_id LIMIT ?`;

const drainSql = 'UPDATE instances SET is_drain_requested = 1 WHERE instance_id = ?';

const removeSql = 'DELETE FROM instances WHERE instance_id = ?';

/** A beat that is lost comes again. Waiting blocks the event loop: only shortly per attempt. */
const terms = { durability: 'normal', busyTimeoutMs: 250 } as const;

interface InstanceStoreOptions {
  readonly clock: Clock;
  readonly patienceMs: number;
}

/** Keeps the instances of one data directory in SQLite. */
export class SqliteInstanceStore implements InstanceStore {
  readonly #database: SqliteDatabase;
  readonly #options: InstanceStoreOptions;

  constructor(database: SqliteDatabase, options: InstanceStoreOptions) {
    this.#database = database;
    this.#options = options;
  }

  beat(report: InstanceReport): Promise<{ readonly isDrainRequested: boolean }> {
    const { id, host, version, address, isDraining, servers, calls, runs } = report;
    return this.#write((statements) => {
      // Read under the write lock, so that no beat is dated before one that was committed earlier.
      const nowMs = this.#nowMs;
      statements(pruneSql).run(nowMs - forgetAfterMs);
      const row = statements(beatSql).get(
        id,
        host,
        version,
        address,
        Number(isDraining),
        servers,
        calls,
        runs,
        nowMs,
      );
      return { isDrainRequested: row?.['is_drain_requested'] === 1 };
    });
  }

  async list(): Promise<readonly Instance[]> {
    // A read must not create the database.
    if (!this.#database.exists) return [];
    const nowMs = this.#nowMs;
    const rows = this.#database.readOne((statements) =>
      statements(listSql).all(nowMs - forgetAfterMs, maxInstances),
    );
    return rows.map((row) => readInstance(row, nowMs));
  }

  async requestDrain(id: string): Promise<boolean> {
    if (!this.#database.exists) return false;
    return this.#write((statements) => statements(drainSql).run(id).changes > 0);
  }

  async remove(id: string): Promise<void> {
    await this.#write((statements) => statements(removeSql).run(id));
  }

  get #nowMs(): number {
    return Math.floor(this.#options.clock.now());
  }

  #write<Result>(work: (statements: Statements) => Result): Promise<Result> {
    return whileStoreBusy(this.#options.patienceMs, () => this.#database.write(terms, work));
  }
}

function readInstance(row: Readonly<Record<string, unknown>>, nowMs: number): Instance {
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
