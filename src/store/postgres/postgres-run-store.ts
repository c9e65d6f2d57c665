import type { Caller } from '../../contract/caller/index.ts';
import type { Plan } from '../../contract/plan/index.ts';
import type { RunFilter, RunSummary } from '../../contract/run/index.ts';
import { RecentValues } from '../../kernel/index.ts';
import type {
  Amendment,
  CommitReport,
  JournalEntry,
  Lease,
  NewRunRecord,
  PrunedRun,
  Release,
  RunChange,
  RunNotice,
  RunOwner,
  RunRecord,
  RunStore,
  SignalRecord,
  WholeRun,
} from '../../workflow/engine/index.ts';
import {
  parseColumn,
  readEntries,
  readNotice,
  readRecord,
  readSignal,
  readSummary,
  recordColumns,
  summaryColumns,
  type Row,
} from '../sqlite/run-rows.ts';
import { Batches } from './batches.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { PostgresRunLeases, type PostgresRunStoreOptions } from './run-leases.ts';
import {
  addRunSignal,
  appendEntries,
  applyChanges,
  areApplied,
  areInserted,
  dropSignals,
  entryCountSql,
  insertRuns,
  isOver,
  nowSql,
  removeEndedRuns,
  removeRunsById,
  type CreatedRun,
} from './run-writes.ts';
import { WakeChannel } from './wake-channel.ts';

/** Runs removed in one transaction, so that others wait milliseconds for it. */
const pruneBatch = 20;
/** Characters of plans that are kept parsed: a plan that is run again is parsed and compiled once. */
const keptPlanLength = 16_777_216;

/** Runs of a caller ($2, null for any) with this id ($1), or an id that begins with it and comes before $3. */
const byId = (select: string): { readonly exact: string; readonly prefix: string } => {
  const sql = `SELECT ${select} WHERE ($2::text IS NULL OR caller_id = $2) AND`;
  return { exact: `${sql} run_id = $1`, prefix: `${sql} run_id > $1 AND run_id < $3 LIMIT 2` };
};

const recordSql = byId(
  `${recordColumns}, plan, input, meta FROM runs JOIN run_contents USING (run_key)`,
);

const summarySql = byId(`${summaryColumns} FROM runs`);

const listSql = `
  SELECT ${summaryColumns} FROM runs
  WHERE caller_id = $1 AND ($2::text[] IS NULL OR status = ANY($2::text[]))
    AND ($4::text IS NULL OR place IS NULL OR place = $4)
    AND ($5::text IS NULL OR (created_at_ms, run_id) <
      (SELECT created_at_ms, run_id FROM runs WHERE run_id = $5 AND caller_id = $1))
  ORDER BY created_at_ms DESC, run_id DESC LIMIT $3`;

const journalSql = `
  SELECT entries FROM run_journal WHERE run_key = (SELECT run_key FROM runs WHERE run_id = $1) ORDER BY first`;

const signalsSql = 'SELECT name, payload FROM run_signals WHERE run_id = $1 ORDER BY place';

const noticesSql = `
  SELECT run_id, request, request_reason, signal_count FROM runs WHERE run_id = ANY($1::text[])`;

const requestSql = `
  UPDATE runs SET request = $2, request_reason = $3, wake_at_ms = 0
  WHERE run_id = $1 AND ended_at_ms IS NULL AND request IS DISTINCT FROM 'cancel'`;

const lockSql = 'SELECT run_key FROM runs WHERE run_id = $1 FOR UPDATE';

const isBeingCancelled = `ended_at_ms IS NULL AND request = 'cancel'`;

const amendSql = `
  UPDATE runs SET status = $3, epoch = epoch + 1, lease_owner = NULL, lease_until_ms = NULL, wake_at_ms = 0,
    request = CASE WHEN ${isBeingCancelled} THEN request END,
    request_reason = CASE WHEN ${isBeingCancelled} THEN request_reason END,
    deadline_ms = CASE WHEN $4 THEN $5 ELSE deadline_ms END,
    ended_at_ms = CASE WHEN $6 THEN ended_at_ms END, outcome = CASE WHEN $6 THEN outcome END
  WHERE run_id = $1 AND (lease_owner IS NULL OR lease_until_ms <= ${nowSql('$2')})
    AND ($7::text IS NULL OR status = $7)
    AND ($8::bigint IS NULL OR $8 = ${entryCountSql('runs.run_key')})
  RETURNING run_key`;

const endedBeforeSql = 'SELECT 1 FROM runs WHERE ended_at_ms < $1 LIMIT 1';

/**
 * Keeps runs in PostgreSQL, for processes on several machines. Every write waits for the server's disk, whatever
 * durability was asked for: this process outlives a crash of the server, and goes on from what it takes for kept.
 */
export class PostgresRunStore implements RunStore {
  readonly #database: PostgresDatabase;
  readonly #options: PostgresRunStoreOptions;
  readonly #leases: PostgresRunLeases;
  readonly #wake: WakeChannel;
  readonly #plans = new RecentValues<Plan>(keptPlanLength);
  readonly #creations = new Batches((runs: readonly NewRunRecord[]) =>
    this.#database.transaction((statements) => insertRuns(statements, runs), {
      isKept: areInserted,
    }),
  );
  readonly #commits = new Batches((batch: readonly (readonly RunChange[])[]) =>
    this.#commitAll(batch),
  );

  constructor(database: PostgresDatabase, options: PostgresRunStoreOptions) {
    this.#database = database;
    this.#options = options;
    this.#leases = new PostgresRunLeases(database, options);
    this.#wake = new WakeChannel(database);
  }

  async create(run: NewRunRecord, onStored?: (runId: string) => void): Promise<CreatedRun> {
    const created = await this.#creations.add(run);
    if (created.isNew) {
      onStored?.(created.runId);
      this.#wake.ringSoon();
    }
    return created;
  }

  async find(caller: Caller | null, runIdOrPrefix: string): Promise<RunRecord | undefined> {
    const row = await this.#findById(recordSql, caller, runIdOrPrefix);
    return row && readRecord(row, this.#readPlan(row), this.#database.path);
  }

  async findWhole(caller: Caller | null, runIdOrPrefix: string): Promise<WholeRun | undefined> {
    const record = await this.find(caller, runIdOrPrefix);
    if (!record) return undefined;
    const { runId } = record;
    // Signals first: an entry that comes in between may only make it newer, never contradict it.
    const signals = record.signals === 0 ? [] : await this.signals(runId);
    return { record, signals, entries: await this.journal(runId) };
  }

  async summary(caller: Caller, runIdOrPrefix: string): Promise<RunSummary | undefined> {
    const row = await this.#findById(summarySql, caller, runIdOrPrefix);
    return row && readSummary(row);
  }

  async list(caller: Caller, filter: RunFilter): Promise<readonly RunSummary[]> {
    const { status, limit, where, after = null } = filter;
    const place = where ? ((await this.#options.place?.()) ?? null) : null;
    const wanted = [caller.id, status ?? null, limit, place, after];
    return (await this.#database.query<Row>(listSql, wanted)).map(readSummary);
  }

  async journal(runId: string): Promise<readonly JournalEntry[]> {
    const rows = await this.#database.query<Row>(journalSql, [runId]);
    return readEntries(rows, this.#database.path);
  }

  async signals(runId: string): Promise<readonly SignalRecord[]> {
    const rows = await this.#database.query<Row>(signalsSql, [runId]);
    return rows.map((row) => readSignal(row, this.#database.path));
  }

  unclaimed(...wanted: Parameters<RunStore['unclaimed']>): Promise<readonly string[]> {
    return this.#leases.unclaimed(...wanted);
  }

  claim(runIds: readonly string[], owner: RunOwner): Promise<readonly Lease[]> {
    return this.#leases.claim(runIds, owner);
  }

  renew(leases: readonly Lease[]): Promise<readonly Lease[]> {
    return this.#leases.renew(leases);
  }

  async release(releases: readonly Release[]): Promise<void> {
    await this.#leases.release(releases);
    this.#wake.ringSoon();
  }

  async notices(runIds: readonly string[]): Promise<readonly RunNotice[]> {
    return (await this.#database.query<Row>(noticesSql, [runIds])).map(readNotice);
  }

  async commit(changes: readonly RunChange[]): Promise<CommitReport> {
    if (changes.length === 0) return { lost: [] };
    const report = await this.#commits.add(changes);
    this.#wake.ringSoon();
    return report;
  }

  async #commitAll(batch: readonly (readonly RunChange[])[]): Promise<readonly CommitReport[]> {
    const all = joinByRun(batch.flat());
    const lost = await this.#database.transaction(
      (statements) => applyChanges(statements, all, this.#leases.nowMs),
      {
        isKept: (gone, statements) =>
          areApplied(
            statements,
            all.filter(({ lease }) => !gone.has(lease.runId)),
          ),
      },
    );
    return batch.map((changes) => ({
      lost: changes.map(({ lease }) => lease.runId).filter((runId) => lost.has(runId)),
    }));
  }

  async synced(): Promise<void> {
    // Everything was when it returned.
  }

  signal(runId: string, signal: SignalRecord): Promise<boolean> {
    return this.#database.transaction(async (statements) => {
      const isFirst = await addRunSignal(statements, runId, signal);
      if (isFirst) await this.#wake.ringWith(statements);
      return isFirst;
    });
  }

  async request(runId: string, request: 'cancel' | 'pause' | null, reason?: string): Promise<void> {
    await this.#database.transaction(async (statements) => {
      await statements.query(requestSql, [runId, request, reason ?? null]);
      await this.#wake.ringWith(statements);
    });
  }

  amend(runId: string, change: Amendment): Promise<boolean> {
    const { entries, status, deadlineMs, seen } = change;
    const cells = [
      this.#leases.nowMs,
      status,
      deadlineMs !== undefined,
      deadlineMs ?? null,
      isOver(status),
      seen?.status ?? null,
      seen?.entries ?? null,
    ];
    return this.#database.transaction(async (statements) => {
      // What it is compared with is read after the lock was waited for.
      await statements.query(lockSql, [runId]);
      const amended = await statements.query(amendSql, [runId, ...cells]);
      if (amended.length === 0) return false;
      await appendEntries(statements, runId, entries);
      await dropSignals(statements, runId, change.dropSignals ?? []);
      await this.#wake.ringWith(statements);
      return true;
    });
  }

  revision(): Promise<number> {
    return this.#wake.revision();
  }

  async prune(endedBeforeMs: number, limit: number): Promise<readonly PrunedRun[]> {
    const removed: PrunedRun[] = [];
    while (removed.length < limit && (await this.#hasEndedBefore(endedBeforeMs))) {
      const count = Math.min(pruneBatch, limit - removed.length);
      const batch = await this.#database.transaction((statements) =>
        removeEndedRuns(statements, endedBeforeMs, count),
      );
      // The rest is being removed by another process.
      if (batch.length === 0) break;
      removed.push(...batch);
    }
    return removed;
  }

  remove(caller: Caller, runIds: readonly string[]): Promise<readonly PrunedRun[]> {
    return this.#database.transaction((statements) =>
      removeRunsById(statements, caller.id, runIds),
    );
  }

  close(): Promise<void> {
    return this.#wake.close();
  }

  async #hasEndedBefore(ms: number): Promise<boolean> {
    return (await this.#database.query(endedBeforeSql, [ms])).length > 0;
  }

  async #findById(
    sql: typeof recordSql,
    caller: Caller | null,
    runIdOrPrefix: string,
  ): Promise<Row | undefined> {
    const callerId = caller?.id ?? null;
    const [exact] = await this.#database.query<Row>(sql.exact, [runIdOrPrefix, callerId]);
    if (exact) return exact;
    const end = `${runIdOrPrefix}\u{10ffff}`;
    const rows = await this.#database.query<Row>(sql.prefix, [runIdOrPrefix, callerId, end]);
    return rows.length === 1 ? rows[0] : undefined;
  }

  #readPlan(row: Row): Plan {
    const text = String(row['plan']);
    const known = this.#plans.get(text);
    if (known) return known;
    const plan: Plan = parseColumn(row, 'plan', this.#database.path);
    this.#plans.set(text, plan);
    return plan;
  }
}

/** What one process adds to a run in one transaction is one row. */
function joinByRun(changes: readonly RunChange[]): readonly RunChange[] {
  const joined = new Map<string, RunChange>();
  for (const change of changes) {
    const { runId } = change.lease;
    const before = joined.get(runId);
    joined.set(
      runId,
      before ? { ...before, ...change, entries: [...before.entries, ...change.entries] } : change,
    );
  }
  return joined.size === changes.length ? changes : [...joined.values()];
}
