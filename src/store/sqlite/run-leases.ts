import type { EngineName } from '../../contract/run/index.ts';
import type { Clock, ProcessIdentity } from '../../kernel/index.ts';
import type { Claim, Lease, Release, RunOwner } from '../../workflow/engine/index.ts';
import { createFreeLease, leaseProcess } from './free-lease.ts';
import type { FreshRuns } from './fresh-runs.ts';
import type { LastFact } from './last-fact.ts';
import type { RunKeys } from './run-keys.ts';
import { readNumber } from './run-rows.ts';
import type { SeenLeases } from './seen-leases.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';
import { whileStoreBusy } from './while-store-busy.ts';

/** A time that never comes. */
const neverMs = Number.MAX_SAFE_INTEGER;

/** Losing a lease with the power is fine: with it went whoever had it. */
const terms = { durability: 'normal' } as const;

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

/** ?3 to ?8 are who takes it, until when and now. */
const ownSql = `
  UPDATE runs SET epoch = epoch + 1, lease_owner = ?3, lease_pid = ?4, lease_process_start = ?5,
    lease_ms = ?6, lease_until_ms = ?7`;

const takeSql = `
  ${ownSql}, wake_at_ms = 0, started_at_ms = COALESCE(started_at_ms, ?8),
    status = CASE WHEN status = 'queued' OR (status = 'paused' AND request IS NULL)
      THEN 'running' ELSE status END`;

const claimSql = `
  ${takeSql}
  WHERE run_id = ?1 AND epoch = ?2 AND ended_at_ms IS NULL`;

const claimFreeSql = `
  ${takeSql}
  WHERE run_id = ?1 AND ended_at_ms IS NULL AND (lease_owner IS NULL OR lease_until_ms <= ?2)
  RETURNING epoch`;

/** A run as it was stored: nobody had it or changed it, and nothing came for it. */
const claimFreshSql = `
  ${ownSql}, started_at_ms = ?8, status = 'running'
  WHERE run_key = ?9 AND run_id = ?1 AND epoch = ?2 AND lease_owner IS NULL AND status = 'queued'
    AND ended_at_ms IS NULL AND request IS NULL AND signal_count = 0`;

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
  /** Where this process works: runs of other places are not among the unclaimed. All are when not given. */
  readonly place?: string | undefined;
  /** Where the run that was stored last is noted; nowhere when not given. */
  readonly lastFact?: LastFact | undefined;
  /** How long a write waits for other processes in all; others of this process have their turns meanwhile. */
  readonly patienceMs: number;
}

/** What is known of runs without asking the database. */
interface KnownRuns {
  readonly fresh: FreshRuns;
  readonly keys: RunKeys;
  readonly leases: SeenLeases;
}

/** Who executes which run: the part of the run store that is about leases. */
export class RunLeases {
  readonly #database: SqliteDatabase;
  readonly #options: RunStoreOptions;
  readonly #known: KnownRuns;

  constructor(database: SqliteDatabase, options: RunStoreOptions, known: KnownRuns) {
    this.#database = database;
    this.#options = options;
    this.#known = known;
  }

  async unclaimed(
    engine: EngineName,
    limit: number,
    where: 'here' | 'anywhere' = 'here',
  ): Promise<readonly string[]> {
    const { clock } = this.#options;
    const place = where === 'anywhere' ? null : (this.#options.place ?? null);
    const scope = [engine, clock.now(), place] as const;
    const owners = this.#database.readOne((statements) => statements(ownersSql).all(...scope));
    const dead: string[] = [];
    for (const row of owners) {
      if (await this.#options.isGone(leaseProcess(row))) dead.push(String(row['lease_owner']));
    }
    const rows = this.#database.readOne((statements) =>
      statements(freeSql).all(...scope, JSON.stringify(dead), limit),
    );
    return rows.map((row) => String(row['run_id']));
  }

  async claimAll(runIds: readonly string[], owner: RunOwner): Promise<readonly Claim[]> {
    const free = await this.#claimFree(runIds, owner);
    if (free.length === runIds.length) return free;
    const claimed = new Set(free.map(({ runId }) => runId));
    const others = runIds.filter((runId) => !claimed.has(runId));
    return [...free, ...(await this.#claimLeft(others, owner))];
  }

  /** Those nobody has. */
  #claimFree(
    runIds: readonly string[],
    { id, pid, processStart, leaseMs }: RunOwner,
  ): Promise<readonly Claim[]> {
    return this.#write((statements) => {
      // Only here the lock is held: a lease must not lose the time that was spent waiting for it.
      const now = this.#options.clock.now();
      const untilMs = now + leaseMs;
      const cells = [id, pid, processStart, leaseMs, untilMs, now] as const;
      const { fresh: known, keys, leases } = this.#known;
      return runIds.flatMap((runId): Claim[] => {
        leases.forget(runId);
        const fresh = known.take(runId, now);
        const key = fresh && keys.of(statements, runId);
        if (key && statements(claimFreshSql).run(runId, 0, ...cells, key).changes > 0) {
          return [{ runId, epoch: 1, untilMs, fresh }];
        }
        known.forget(runId);
        const row = statements(claimFreeSql).get(runId, now, ...cells);
        return row ? [{ runId, epoch: readNumber(row, 'epoch'), untilMs }] : [];
      });
    });
  }

  /** Those of processes that are dead. */
  async #claimLeft(runIds: readonly string[], owner: RunOwner): Promise<readonly Lease[]> {
    const { clock } = this.#options;
    const isFree = createFreeLease(this.#options.isGone, clock.now());
    const wanted: { readonly runId: string; readonly epoch: number }[] = [];
    for (const runId of runIds) {
      const row = this.#database.readOne((statements) => statements(leaseSql).get(runId));
      if (row && (await isFree(row))) wanted.push({ runId, epoch: readNumber(row, 'epoch') });
    }
    if (wanted.length === 0) return [];
    const { id, pid, processStart, leaseMs } = owner;
    return this.#write((statements) => {
      const now = clock.now();
      const untilMs = now + leaseMs;
      const cells = [id, pid, processStart, leaseMs, untilMs, now] as const;
      return wanted.flatMap(({ runId, epoch }) => {
        this.#known.leases.forget(runId);
        // Whoever was faster has changed the epoch.
        const { changes } = statements(claimSql).run(runId, epoch, ...cells);
        return changes === 0 ? [] : [{ runId, epoch: epoch + 1, untilMs }];
      });
    });
  }

  async renew(leases: readonly Lease[]): Promise<readonly Lease[]> {
    return this.#write((statements) => {
      const now = this.#options.clock.now();
      return leases.flatMap(({ runId, epoch }) => {
        const row = statements(renewSql).get(runId, epoch, now);
        if (row) return [{ runId, epoch, untilMs: readNumber(row, 'lease_until_ms') }];
        this.#known.fresh.forget(runId);
        return [];
      });
    });
  }

  async release(releases: readonly Release[]): Promise<void> {
    await this.#write((statements) => {
      for (const { lease, idle } of releases) {
        const wakeAtMs = idle ? (idle.untilMs ?? neverMs) : 0;
        const seen = idle?.signals ?? 0;
        this.#known.fresh.forget(lease.runId);
        this.#known.leases.forget(lease.runId);
        statements(releaseSql).run(lease.runId, lease.epoch, seen, wakeAtMs);
      }
    });
  }

  #write<Result>(work: (statements: Statements) => Result): Promise<Result> {
    return whileStoreBusy(this.#options.patienceMs, () => this.#database.write(terms, work));
  }
}

/** Whether a row of `runs` is somebody's: the condition for `amend`, which waits for nobody's death. */
export const freeCondition = '(lease_owner IS NULL OR lease_until_ms <= ?2)';
