import type { EngineName } from '../../contract/run/index.ts';
import type { Clock, ProcessIdentity } from '../../kernel/index.ts';
import type { Lease, Release, RunOwner } from '../../workflow/engine/index.ts';
import type { LastFact } from './last-fact.ts';
import { readNumber, type Row } from './run-rows.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

/** A time that never comes. */
const neverMs = Number.MAX_SAFE_INTEGER;

const isToDo = `
  engine = ?1 AND ended_at_ms IS NULL AND wake_at_ms <= ?2 AND (?3 IS NULL OR place IS NULL OR place = ?3)`;

const ownersSql = `
  SELECT DISTINCT lease_owner, lease_pid, lease_process_start FROM runs
  WHERE ${isToDo} AND lease_owner IS NOT NULL AND lease_until_ms > ?2`;

const freeSql = `
  SELECT run_id FROM runs
  WHERE ${isToDo} AND (lease_owner IS NULL OR lease_until_ms <= ?2
    OR lease_owner IN (SELECT value FROM json_each(?4)))
  ORDER BY created_at_ms, run_id LIMIT ?5`;

const leaseSql = `
  SELECT run_id, epoch, lease_owner, lease_pid, lease_process_start, lease_until_ms FROM runs
  WHERE run_id = ? AND ended_at_ms IS NULL`;

const takeSql = `
  UPDATE runs SET epoch = epoch + 1, lease_owner = ?3, lease_pid = ?4, lease_process_start = ?5,
    lease_ms = ?6, lease_until_ms = ?7, wake_at_ms = 0, started_at_ms = COALESCE(started_at_ms, ?8),
    status = CASE WHEN status = 'queued' OR (status = 'paused' AND request IS NULL)
      THEN 'running' ELSE status END
  WHERE run_id = ?1 AND ended_at_ms IS NULL`;

/** The owner of this epoch is dead; a faster process has changed the epoch. */
const claimOrphanedSql = `${takeSql} AND epoch = ?2 RETURNING epoch`;

/** ?2 is the time. */
export const isFreeSql = '(lease_owner IS NULL OR lease_until_ms <= ?2)';

const claimFreeSql = `${takeSql} AND ${isFreeSql} RETURNING epoch`;

const renewSql = `
  UPDATE runs SET lease_until_ms = lease_ms + ?3
  WHERE run_id = ?1 AND epoch = ?2 AND lease_owner IS NOT NULL
  RETURNING lease_until_ms`;

const releaseSql = `
  UPDATE runs SET lease_owner = NULL, lease_until_ms = NULL,
    wake_at_ms = CASE WHEN signal_count > ?3 OR (request IS NOT NULL AND status <> 'paused')
      OR (request IS NULL AND status = 'paused') OR request = 'cancel' THEN 0 ELSE ?4 END
  WHERE run_id = ?1 AND epoch = ?2 AND lease_owner IS NOT NULL`;

export interface RunStoreOptions {
  readonly clock: Clock;
  /** Whether a process that had leases is certainly dead. */
  readonly isGone: (process: ProcessIdentity) => Promise<boolean>;
  /** The directory this process works in: `unclaimed` leaves out runs of others. Without it none are left out. */
  readonly place?: (() => Promise<string>) | undefined;
  /** Where the last stored run is noted; nowhere when not given. */
  readonly lastFact?: LastFact | undefined;
  /** How long a write waits for other processes in all, without blocking the event loop. */
  readonly patienceMs: number;
}

/** Which process executes which run: the part of the run store that is about leases. */
export class RunLeases {
  readonly #database: SqliteDatabase;
  readonly #options: RunStoreOptions;

  constructor(database: SqliteDatabase, options: RunStoreOptions) {
    this.#database = database;
    this.#options = options;
  }

  async unclaimed(
    engine: EngineName,
    limit: number,
    where: 'here' | 'anywhere' = 'here',
  ): Promise<readonly string[]> {
    const { clock, isGone } = this.#options;
    const place = where === 'anywhere' ? null : ((await this.#options.place?.()) ?? null);
    const scope = [engine, clock.now(), place] as const;
    const owners = this.#database.readOne((statements) => statements(ownersSql).all(...scope));
    const dead: string[] = [];
    for (const row of owners) {
      if (await isGone(leaseProcess(row))) dead.push(String(row['lease_owner']));
    }
    const rows = this.#database.readOne((statements) =>
      statements(freeSql).all(...scope, JSON.stringify(dead), limit),
    );
    return rows.map((row) => String(row['run_id']));
  }

  async claim(runIds: readonly string[], owner: RunOwner): Promise<readonly Lease[]> {
    const free = await this.#claim(
      runIds.map((runId) => ({ runId })),
      owner,
    );
    const claimed = new Set(free.map(({ runId }) => runId));
    const orphaned = await this.#orphaned(runIds.filter((runId) => !claimed.has(runId)));
    return orphaned.length === 0 ? free : [...free, ...(await this.#claim(orphaned, owner))];
  }

  /** Takes free runs, and those whose owner was found dead under the epoch that is named. */
  #claim(
    runs: readonly { readonly runId: string; readonly epoch?: number }[],
    { id, pid, processStart, leaseMs }: RunOwner,
  ): Promise<readonly Lease[]> {
    return this.#write((statements) => {
      // Read under the write lock: a lease must not lose the time that was spent waiting for it.
      const now = this.#options.clock.now();
      const untilMs = now + leaseMs;
      const cells = [id, pid, processStart, leaseMs, untilMs, now] as const;
      return runs.flatMap(({ runId, epoch }) => {
        const row =
          epoch === undefined
            ? statements(claimFreeSql).get(runId, now, ...cells)
            : statements(claimOrphanedSql).get(runId, epoch, ...cells);
        return row ? [{ runId, epoch: readNumber(row, 'epoch'), untilMs }] : [];
      });
    });
  }

  async #orphaned(runIds: readonly string[]): Promise<{ runId: string; epoch: number }[]> {
    const isFree = createFreeLease(this.#options.isGone, this.#options.clock.now());
    const orphaned: { runId: string; epoch: number }[] = [];
    for (const runId of runIds) {
      const row = this.#database.readOne((statements) => statements(leaseSql).get(runId));
      if (row && (await isFree(row))) orphaned.push({ runId, epoch: readNumber(row, 'epoch') });
    }
    return orphaned;
  }

  renew(leases: readonly Lease[]): Promise<readonly Lease[]> {
    return this.#write((statements) => {
      const now = this.#options.clock.now();
      return leases.flatMap(({ runId, epoch }) => {
        const row = statements(renewSql).get(runId, epoch, now);
        return row ? [{ runId, epoch, untilMs: readNumber(row, 'lease_until_ms') }] : [];
      });
    });
  }

  release(releases: readonly Release[]): Promise<void> {
    return this.#write((statements) => {
      for (const { lease, idle } of releases) {
        const wakeAtMs = idle ? (idle.untilMs ?? neverMs) : 0;
        statements(releaseSql).run(lease.runId, lease.epoch, idle?.signals ?? 0, wakeAtMs);
      }
    });
  }

  /** Losing a lease with the power is fine: its owner went with it. */
  #write<Result>(work: (statements: Statements) => Result): Promise<Result> {
    return whileStoreBusy(this.#options.patienceMs, () =>
      this.#database.write({ durability: 'normal' }, work),
    );
  }
}

/** Whether the lease of a row is free at this time; checks each process once. */
export function createFreeLease(
  isGone: (process: ProcessIdentity) => Promise<boolean>,
  nowMs: number,
): (row: Row) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (row) => {
    if (row['lease_owner'] === null || readNumber(row, 'lease_until_ms') <= nowMs) return true;
    const owner = String(row['lease_owner']);
    const isOwnerGone = known.get(owner) ?? (await isGone(leaseProcess(row)));
    known.set(owner, isOwnerGone);
    return isOwnerGone;
  };
}

function leaseProcess(row: Row): ProcessIdentity {
  return {
    pid: readNumber(row, 'lease_pid'),
    processStart: String(row['lease_process_start']),
  };
}
