import type { Caller } from '../../contract/caller/index.ts';
import type { Plan } from '../../contract/plan/index.ts';
import type { RunFilter, RunSummary } from '../../contract/run/index.ts';
import { RecentValues } from '../../kernel/index.ts';
import type {
  Amendment,
  CommitDurability,
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
import { isFreeSql, RunLeases, type RunStoreOptions } from './run-leases.ts';
import {
  parseColumn,
  readEntries,
  readNotice,
  readNumber,
  readRecord,
  readSignal,
  readSummary,
  recordColumns,
  summaryColumns,
  type Row,
} from './run-rows.ts';
import {
  addRunSignal,
  appendEntries,
  applyChange,
  countSignalsSql,
  dropSignalSql,
  entryCountSql,
  insertRun,
  isOver,
  ofRunSql,
  removeEndedRuns,
  removeRunsById,
} from './run-writes.ts';
import { overwriting, type SqliteDatabase, type Statements } from './sqlite-database.ts';
import { whileStoreBusy, WriteGroup } from './write-group.ts';

/** Runs removed in one transaction, so that others wait milliseconds for it. */
const pruneBatch = 20;

/**
 * Characters of plans that are kept parsed. A plan that is run again is parsed and compiled once, as one
 * object: without that a run of 1,000 steps takes twice as long (bench/workflow, `sequential`).
 */
const keptPlanLength = 16_777_216;

const sameStartSql = 'SELECT run_id FROM runs WHERE caller_id = ? AND idempotency_key = ?';

/** Runs of a caller (?2, null for any) with this id (?1), or an id that begins with it and comes before ?3. */
const byId = (select: string): { readonly exact: string; readonly prefix: string } => {
  const sql = `SELECT ${select} WHERE (?2 IS NULL OR caller_id = ?2) AND`;
  return { exact: `${sql} run_id = ?1`, prefix: `${sql} run_id > ?1 AND run_id < ?3 LIMIT 2` };
};

const recordSql = byId(
  `${recordColumns}, plan, input, meta FROM runs JOIN run_contents USING (run_key)`,
);

const summarySql = byId(`${summaryColumns} FROM runs`);

const listSql = `
  SELECT ${summaryColumns} FROM runs
  WHERE caller_id = ?1 AND (?2 IS NULL OR status IN (SELECT value FROM json_each(?2)))
    AND (?4 IS NULL OR place IS NULL OR place = ?4)
    AND (?5 IS NULL OR (created_at_ms, run_id) <
      (SELECT created_at_ms, run_id FROM runs WHERE run_id = ?5 AND caller_id = ?1))
  ORDER BY created_at_ms DESC, run_id DESC LIMIT ?3`;

const journalSql = `SELECT entries FROM run_journal WHERE ${ofRunSql} ORDER BY place`;

const signalsSql = 'SELECT name, payload FROM run_signals WHERE run_id = ? ORDER BY place';

const noticesSql = `
  SELECT run_id, request, request_reason, signal_count FROM runs
  WHERE run_id IN (SELECT value FROM json_each(?))`;

const requestSql = `
  UPDATE runs SET request = ?2, request_reason = ?3, wake_at_ms = 0
  WHERE run_id = ?1 AND ended_at_ms IS NULL AND request IS NOT 'cancel'`;

const isBeingCancelled = `ended_at_ms IS NULL AND request = 'cancel'`;

const amendSql = `
  UPDATE runs SET status = ?3, epoch = epoch + 1, lease_owner = NULL, lease_until_ms = NULL, wake_at_ms = 0,
    request = CASE WHEN ${isBeingCancelled} THEN request END,
    request_reason = CASE WHEN ${isBeingCancelled} THEN request_reason END,
    deadline_ms = CASE WHEN ?4 THEN ?5 ELSE deadline_ms END,
    ended_at_ms = CASE WHEN ?6 THEN ended_at_ms END, outcome = CASE WHEN ?6 THEN outcome END
  WHERE run_id = ?1 AND ${isFreeSql} AND (?7 IS NULL OR status = ?7)
    AND (?8 IS NULL OR ?8 = ${entryCountSql})`;

const endedBeforeSql = 'SELECT 1 FROM runs WHERE ended_at_ms < ? LIMIT 1';

/** Keeps runs in SQLite, on a connection of its own: spans would change its settings all the time. */
export class SqliteRunStore implements RunStore {
  readonly #database: SqliteDatabase;
  readonly #options: RunStoreOptions;
  readonly #leases: RunLeases;
  readonly #created: WriteGroup;
  readonly #plans = new RecentValues<Plan>(keptPlanLength);
  /**
   * Runs whose new status is committed and not yet on the disk: reads of them wait, so that no end is
   * reported that a loss of power could take back.
   */
  readonly #syncs = new Map<string, Promise<void>>();

  #newest: { readonly runId: string; readonly sync: Promise<void> } | undefined;

  constructor(database: SqliteDatabase, options: RunStoreOptions) {
    this.#database = database;
    this.#options = options;
    this.#leases = new RunLeases(database, options);
    this.#created = new WriteGroup(database, options.patienceMs);
  }

  async create(
    run: NewRunRecord,
    onStored?: (runId: string) => void,
  ): Promise<{ readonly runId: string; readonly isNew: boolean }> {
    const { callerId, idempotencyKey, durability = 'full' } = run;
    if (durability === 'full') await this.#patiently(() => this.#database.assertSyncable());
    const { runId, isNew } = await this.#created.write('normal', (statements) => {
      const same =
        idempotencyKey === null
          ? undefined
          : statements(sameStartSql).get(callerId, idempotencyKey);
      if (same) return { runId: String(same['run_id']), isNew: false };
      insertRun(statements, run);
      return { runId: run.runId, isNew: true };
    });
    if (isNew) onStored?.(runId);
    if (durability === 'full') await this.#syncNew(runId, isNew);
    return { runId, isNew };
  }

  /** Of the runs that one sync brings to the disk, the last is noted. */
  async #syncNew(runId: string, isNew: boolean): Promise<void> {
    const sync = this.#database.synced();
    if (isNew) this.#newest = { runId, sync };
    await sync;
    const isLast = this.#newest?.sync !== sync || this.#newest.runId === runId;
    if (isNew && isLast) this.#options.lastFact?.note({ runId });
  }

  async find(caller: Caller | null, runIdOrPrefix: string): Promise<RunRecord | undefined> {
    await this.#synced(runIdOrPrefix);
    const row = this.#findById(recordSql, caller, runIdOrPrefix);
    return row && readRecord(row, this.#readPlan(row), this.#database.options.path);
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
    await this.#synced(runIdOrPrefix);
    const row = this.#findById(summarySql, caller, runIdOrPrefix);
    return row && readSummary(row);
  }

  async list(caller: Caller, filter: RunFilter): Promise<readonly RunSummary[]> {
    const { status, limit, where, after = null } = filter;
    await this.#synced('');
    const place = (where && (await this.#options.place?.())) ?? null;
    const statuses = status ? JSON.stringify(status) : null;
    const wanted = [caller.id, statuses, limit, place, after] as const;
    return this.#database
      .readOne((statements) => statements(listSql).all(...wanted))
      .map(readSummary);
  }

  async journal(runId: string): Promise<readonly JournalEntry[]> {
    const rows = this.#database.readOne((statements) => statements(journalSql).all(runId));
    return readEntries(rows, this.#database.options.path);
  }

  async signals(runId: string): Promise<readonly SignalRecord[]> {
    const rows = this.#database.readOne((statements) => statements(signalsSql).all(runId));
    return rows.map((row) => readSignal(row, this.#database.options.path));
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

  release(releases: readonly Release[]): Promise<void> {
    return this.#leases.release(releases);
  }

  async notices(runIds: readonly string[]): Promise<readonly RunNotice[]> {
    const wanted = JSON.stringify(runIds);
    return this.#database
      .readOne((statements) => statements(noticesSql).all(wanted))
      .map(readNotice);
  }

  async commit(changes: readonly RunChange[], durability: CommitDurability): Promise<CommitReport> {
    if (changes.length === 0) return { lost: [] };
    const endedAtMs = this.#options.clock.now();
    const lost = await this.#patiently(() =>
      this.#database.write({ durability }, (statements) =>
        changes
          .filter((change) => !applyChange(statements, change, endedAtMs))
          .map(({ lease }) => lease.runId),
      ),
    );
    if (durability === 'soon') this.#holdUntilSynced(changes);
    return { lost };
  }

  synced(): Promise<void> {
    return this.#database.synced();
  }

  signal(runId: string, signal: SignalRecord): Promise<boolean> {
    return this.#write((statements) => addRunSignal(statements, runId, signal));
  }

  async request(runId: string, request: 'cancel' | 'pause' | null, reason?: string): Promise<void> {
    await this.#write((statements) => statements(requestSql).run(runId, request, reason ?? null));
  }

  amend(runId: string, change: Amendment): Promise<boolean> {
    const { entries, status, dropSignals = [], deadlineMs, seen } = change;
    const cells = [
      this.#options.clock.now(),
      status,
      deadlineMs === undefined ? 0 : 1,
      deadlineMs ?? null,
      isOver(status) ? 1 : 0,
      seen?.status ?? null,
      seen?.entries ?? null,
    ] as const;
    return this.#write((statements) => {
      if (statements(amendSql).run(runId, ...cells).changes === 0) return false;
      appendEntries(statements, { runId }, entries);
      for (const name of dropSignals) statements(dropSignalSql).run(runId, name);
      statements(countSignalsSql).run(runId);
      return true;
    });
  }

  async revision(): Promise<number> {
    const row = this.#database.readOne((statements) => statements('PRAGMA data_version').get());
    return row ? readNumber(row, 'data_version') : 0;
  }

  async prune(endedBeforeMs: number, limit: number): Promise<readonly PrunedRun[]> {
    const removed: PrunedRun[] = [];
    while (removed.length < limit && this.#hasEndedBefore(endedBeforeMs)) {
      const count = Math.min(pruneBatch, limit - removed.length);
      // A row that came back with the power would miss an artifact that was collected because it had gone.
      const batch = await this.#write((statements) => {
        const runs = removeEndedRuns(statements, endedBeforeMs, count);
        this.#options.lastFact?.forget(runs.map(({ runId }) => runId));
        return runs;
      });
      removed.push(...batch);
    }
    return removed;
  }

  remove(caller: Caller, runIds: readonly string[]): Promise<readonly PrunedRun[]> {
    return this.#write((statements) =>
      overwriting(statements, () => {
        const runs = removeRunsById(statements, caller.id, runIds);
        this.#options.lastFact?.forget(runs.map(({ runId }) => runId));
        return runs;
      }),
    );
  }

  /** Without the write lock: mostly there is nothing to remove. */
  #hasEndedBefore(ms: number): boolean {
    return this.#database.readOne((statements) => statements(endedBeforeSql).get(ms)) !== undefined;
  }

  #findById(sql: typeof recordSql, caller: Caller | null, runIdOrPrefix: string): Row | undefined {
    const callerId = caller?.id ?? null;
    return this.#database.readOne((statements) => {
      const exact = statements(sql.exact).get(runIdOrPrefix, callerId);
      if (exact) return exact;
      const end = `${runIdOrPrefix}\u{10ffff}`;
      const [only, another] = statements(sql.prefix).all(runIdOrPrefix, callerId, end);
      return another ? undefined : only;
    });
  }

  #readPlan(row: Row): Plan {
    const text = String(row['plan']);
    const known = this.#plans.get(text);
    if (known) return known;
    const plan: Plan = parseColumn(row, 'plan', this.#database.options.path);
    this.#plans.set(text, plan);
    return plan;
  }

  #holdUntilSynced(changes: readonly RunChange[]): void {
    const runIds = changes.flatMap(({ status, lease }) => (status ? [lease.runId] : []));
    if (runIds.length === 0) return;
    const sync = this.#database.synced();
    for (const runId of runIds) this.#syncs.set(runId, sync);
    const remove = (): void => {
      for (const runId of runIds) if (this.#syncs.get(runId) === sync) this.#syncs.delete(runId);
    };
    // Readers that wait for it get the error.
    sync.then(remove, remove);
  }

  /** Settles when the statuses of all runs whose ids begin with this are on the disk. */
  async #synced(prefix: string): Promise<void> {
    if (this.#syncs.size === 0) return;
    const pending = [...this.#syncs].filter(([runId]) => runId.startsWith(prefix));
    await Promise.all(pending.map(([, sync]) => sync));
  }

  #write<Result>(work: (statements: Statements) => Result): Promise<Result> {
    return this.#patiently(() => this.#database.write({ durability: 'full' }, work));
  }

  #patiently<Result>(work: () => Result): Promise<Result> {
    return whileStoreBusy(this.#options.patienceMs, work);
  }
}
