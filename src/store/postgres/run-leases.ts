import type { EngineName } from '../../contract/run/index.ts';
import type { Clock, ProcessIdentity } from '../../kernel/index.ts';
import type { Lease, Release, RunOwner } from '../../workflow/engine/index.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { nowSql } from './run-writes.ts';

/** A lease that is over too soon, or too late, does no harm. One that was given twice under one epoch would. */
const soon = { durability: 'soon' } as const;

/** A time that never comes. */
const neverMs = Number.MAX_SAFE_INTEGER;

const isToDo = `
  engine = $1 AND ended_at_ms IS NULL AND wake_at_ms <= ${nowSql('$2')} AND ($3::text IS NULL OR place IS NULL OR place = $3)`;

const ownersSql = `
  SELECT DISTINCT lease_owner, lease_pid, lease_process_start FROM runs
  WHERE ${isToDo} AND lease_owner IS NOT NULL AND lease_until_ms > ${nowSql('$2')}`;

const freeSql = `
  SELECT run_id FROM runs
  WHERE ${isToDo} AND (lease_owner IS NULL OR lease_until_ms <= ${nowSql('$2')} OR lease_owner = ANY($4::text[]))
  ORDER BY created_at_ms, run_id LIMIT $5`;

const heldSql = `
  SELECT run_id, epoch, lease_owner, lease_pid, lease_process_start FROM runs
  WHERE run_id = ANY($1::text[]) AND ended_at_ms IS NULL AND lease_owner IS NOT NULL`;

const takeSql = `
  UPDATE runs SET epoch = epoch + 1, lease_owner = $2, lease_pid = $3, lease_process_start = $4,
    lease_ms = $5::bigint, lease_until_ms = ${nowSql('$6')} + $5::bigint, wake_at_ms = 0,
    started_at_ms = COALESCE(started_at_ms, ${nowSql('$6')}),
    status = CASE WHEN status = 'queued' OR (status = 'paused' AND request IS NULL)
      THEN 'running' ELSE status END`;

/** `lock`: several processes that scan at once share the runs out among themselves instead of waiting in line. */
const claimFreeSql = (lock: string): string => `
  ${takeSql} WHERE run_key IN (
    SELECT run_key FROM runs WHERE run_id = ANY($1::text[]) AND ended_at_ms IS NULL
      AND (lease_owner IS NULL OR lease_until_ms <= ${nowSql('$6')})
    ORDER BY run_key ${lock})
  RETURNING run_id, epoch`;

const claimOneSql = claimFreeSql('FOR UPDATE');
const claimManySql = claimFreeSql('FOR UPDATE SKIP LOCKED');

/** The owners of these epochs are dead; a faster process has changed the epoch. */
const claimOrphanedSql = `
  ${takeSql} WHERE run_key IN (
    SELECT run_key FROM runs JOIN unnest($1::text[], $7::bigint[]) AS dead (run_id, epoch) USING (run_id, epoch)
    WHERE ended_at_ms IS NULL ORDER BY run_key FOR UPDATE OF runs)
  RETURNING run_id, epoch`;

const renewSql = `
  UPDATE runs SET lease_until_ms = lease_ms + ${nowSql('$3')}
  FROM unnest($1::text[], $2::bigint[]) AS lease (run_id, epoch)
  WHERE runs.run_id = lease.run_id AND runs.epoch = lease.epoch AND lease_owner IS NOT NULL
  RETURNING runs.run_id, runs.epoch, lease_ms`;

const releaseSql = `
  UPDATE runs SET lease_owner = NULL, lease_until_ms = NULL,
    wake_at_ms = CASE WHEN signal_count > seen OR (request IS NOT NULL AND status <> 'paused')
      OR (request IS NULL AND status = 'paused') OR request = 'cancel' THEN 0
      WHEN wake_in_ms = ${neverMs} THEN wake_in_ms ELSE ${nowSql('$5')} + wake_in_ms END
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) AS lease (run_id, epoch, seen, wake_in_ms)
  WHERE runs.run_id = lease.run_id AND runs.epoch = lease.epoch AND lease_owner IS NOT NULL`;

export interface PostgresRunStoreOptions {
  /** Of this process: by it the holder of a lease knows when that is over. */
  readonly clock: Clock;
  /** The time all processes go by; the database's own unless a test gives one. */
  readonly sharedClock?: Clock | undefined;
  /** Whether a process that had leases is certainly dead. */
  readonly isGone: (process: ProcessIdentity) => Promise<boolean>;
  /** The directory this process works in: `unclaimed` leaves out runs of others. Without it none are left out. */
  readonly place?: (() => Promise<string>) | undefined;
}

interface HeldRow {
  readonly run_id: string;
  readonly epoch: number;
  readonly lease_owner: string;
  readonly lease_pid: number;
  readonly lease_process_start: string;
}

/**
 * Which process executes which run.
 *
 * 1. The ends of leases are kept by the database's clock. The end that its holder gets is by the holder's clock, counted from
 *    before it asked: it takes its lease for gone before any other process does, however far the clocks are apart.
 * 2. Every claim makes a new epoch, and everything that depends on a lease names its own.
 */
export class PostgresRunLeases {
  readonly #database: PostgresDatabase;
  readonly #options: PostgresRunStoreOptions;

  constructor(database: PostgresDatabase, options: PostgresRunStoreOptions) {
    this.#database = database;
    this.#options = options;
  }

  get nowMs(): number | null {
    return this.#options.sharedClock?.now() ?? null;
  }

  async unclaimed(
    engine: EngineName,
    limit: number,
    where: 'here' | 'anywhere' = 'here',
  ): Promise<readonly string[]> {
    const place = where === 'anywhere' ? null : ((await this.#options.place?.()) ?? null);
    const scope = [engine, this.nowMs, place] as const;
    const owners = await this.#database.query<HeldRow>(ownersSql, scope);
    const dead: string[] = [];
    for (const row of owners) {
      if (await this.#options.isGone(leaseProcess(row))) dead.push(row.lease_owner);
    }
    const rows = await this.#database.query<{ run_id: string }>(freeSql, [...scope, dead, limit]);
    return rows.map((row) => row.run_id);
  }

  async claim(runIds: readonly string[], owner: RunOwner): Promise<readonly Lease[]> {
    const sql = runIds.length > 1 ? claimManySql : claimOneSql;
    const free = await this.#take(sql, [runIds], owner);
    const claimed = new Set(free.map(({ runId }) => runId));
    const orphaned = await this.#orphaned(runIds.filter((runId) => !claimed.has(runId)));
    if (orphaned.length === 0) return free;
    const ids = orphaned.map(({ run_id }) => run_id);
    const epochs = orphaned.map(({ epoch }) => epoch);
    return [...free, ...(await this.#take(claimOrphanedSql, [ids, epochs], owner))];
  }

  async renew(leases: readonly Lease[]): Promise<readonly Lease[]> {
    const askedAtMs = this.#options.clock.now();
    const [ids, epochs] = columnsOf(leases);
    const rows = await this.#database.transaction(
      ({ query }) =>
        query<{ run_id: string; epoch: number; lease_ms: number }>(renewSql, [
          ids,
          epochs,
          this.nowMs,
        ]),
      soon,
    );
    return rows.map(({ run_id, epoch, lease_ms }) => ({
      runId: run_id,
      epoch,
      untilMs: askedAtMs + lease_ms,
    }));
  }

  async release(releases: readonly Release[]): Promise<void> {
    const nowMs = this.#options.clock.now();
    const [ids, epochs] = columnsOf(releases.map(({ lease }) => lease));
    const seen = releases.map(({ idle }) => Math.min(idle?.signals ?? 0, neverMs));
    const wakeInMs = releases.map(({ idle }) => {
      if (!idle) return 0;
      return idle.untilMs === null ? neverMs : Math.round(idle.untilMs - nowMs);
    });
    await this.#database.transaction(
      ({ query }) => query(releaseSql, [ids, epochs, seen, wakeInMs, this.nowMs]),
      soon,
    );
  }

  async #take(
    sql: string,
    [runIds, ...epochs]: readonly (readonly unknown[])[],
    { id, pid, processStart, leaseMs }: RunOwner,
  ): Promise<readonly Lease[]> {
    const cells = [runIds, id, pid, processStart, leaseMs, this.nowMs, ...epochs];
    return this.#database.transaction(async ({ query }) => {
      // A lease that took long to get is over all the sooner for who holds it.
      const askedAtMs = this.#options.clock.now();
      const rows = await query<{ run_id: string; epoch: number }>(sql, cells);
      return rows.map(({ run_id, epoch }) => ({
        runId: run_id,
        epoch,
        untilMs: askedAtMs + leaseMs,
      }));
    });
  }

  async #orphaned(runIds: readonly string[]): Promise<readonly HeldRow[]> {
    if (runIds.length === 0) return [];
    const rows = await this.#database.query<HeldRow>(heldSql, [runIds]);
    const gone = new Map<string, boolean>();
    for (const row of rows) {
      if (gone.has(row.lease_owner)) continue;
      gone.set(row.lease_owner, await this.#options.isGone(leaseProcess(row)));
    }
    return rows.filter((row) => gone.get(row.lease_owner));
  }
}

function columnsOf(leases: readonly Lease[]): [readonly string[], readonly number[]] {
  return [leases.map(({ runId }) => runId), leases.map(({ epoch }) => epoch)];
}

function leaseProcess(row: HeldRow): ProcessIdentity {
  return { pid: row.lease_pid, processStart: row.lease_process_start };
}
