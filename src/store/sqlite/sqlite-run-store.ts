import type { Caller } from '../../contract/caller/index.ts';
import { createIsoTime } from '../../kernel/index.ts';
import type { RunFilter, RunStatus, RunSummary } from '../../contract/run/index.ts';
import type {
  Amendment,
  BeginRun,
  Claim,
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
import { EndedRuns, type EndedRun } from './ended-runs.ts';
import { findMeant, meaningSql, type MeaningSql } from './find-meant.ts';
import { FreshRuns } from './fresh-runs.ts';
import { NewRuns } from './new-runs.ts';
import { removeEndedRuns } from './remove-ended-runs.ts';
import { RunContents } from './run-contents.ts';
import { nextPlaceSql, RunJournals } from './run-journals.ts';
import { RunKeys } from './run-keys.ts';
import { freeCondition, RunLeases, type RunStoreOptions } from './run-leases.ts';
import {
  jsonOrNull,
  readNotice,
  readNumber,
  readRecord,
  readSignal,
  readSummary,
  summaryOf,
  recordColumns,
  summaryColumns,
  type Row,
} from './run-rows.ts';
import { addRunSignal, countRunSignals } from './run-signals.ts';
import { SeenLeases } from './seen-leases.ts';
import type { SqliteDatabase, Statements, WriteTerms } from './sqlite-database.ts';
import { UnsyncedEnds } from './unsynced-ends.ts';
import { nowOrWhileStoreBusy, whileStoreBusy } from './while-store-busy.ts';

/** Runs removed in one transaction, so that others wait milliseconds for it. */
const pruneBatch = 20;

const full = { durability: 'full' } as const;

/** Texts that are put together once: a statement is found by its text, and a new one is gone through for that. */
const findSql = meaningSql(recordColumns);

const summarySql = meaningSql(summaryColumns);

const listSql = `
  SELECT ${summaryColumns} FROM runs
  WHERE caller_id = ?1 AND (?2 IS NULL OR status IN (SELECT value FROM json_each(?2)))
    AND (?4 IS NULL OR place IS NULL OR place = ?4)
  ORDER BY created_at_ms DESC, run_id DESC LIMIT ?3`;

const statusSql = `
  UPDATE runs SET status = ?3 WHERE run_id = ?1 AND epoch = ?2 AND lease_owner IS NOT NULL`;

const endSql = `
  UPDATE runs SET status = ?3, outcome = ?4, ended_at_ms = ?5, lease_owner = NULL, lease_until_ms = NULL
  WHERE run_key = ?6 AND run_id = ?1 AND epoch = ?2 AND lease_owner IS NOT NULL`;

const endUntouchedSql = `${endSql} AND signal_count = 0 AND request IS NULL`;

const signalsSql = 'SELECT name, payload FROM run_signals WHERE run_id = ? ORDER BY place';

const dropSignalSql = 'DELETE FROM run_signals WHERE run_id = ? AND name = ?';

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
  WHERE run_id = ?1 AND ${freeCondition} AND (?7 IS NULL OR status = ?7)
    AND (?8 IS NULL OR ?8 = ${nextPlaceSql})`;

const oldestSql =
  'SELECT ended_at_ms FROM runs WHERE ended_at_ms IS NOT NULL ORDER BY ended_at_ms LIMIT 1';

/** Keeps runs in SQLite, on a connection of its own: spans would have it change its settings all the time. */
export class SqliteRunStore implements RunStore {
  readonly #database: SqliteDatabase;
  readonly #options: RunStoreOptions;
  readonly #leases: RunLeases;
  readonly #newRuns: NewRuns;
  readonly #contents: RunContents;
  readonly #fresh: FreshRuns;
  readonly #keys = new RunKeys();
  readonly #seenLeases = new SeenLeases();
  readonly #ended = new EndedRuns();
  readonly #unsynced = new UnsyncedEnds();
  readonly #journals: RunJournals;
  readonly #isoTime = createIsoTime();
  /** Where runs that ended are looked for again only when some may have ended before the time that is asked for. */
  #noneEndedBeforeMs = 0;

  constructor(database: SqliteDatabase, options: RunStoreOptions) {
    this.#database = database;
    this.#options = options;
    this.#contents = new RunContents(database);
    this.#fresh = new FreshRuns(this.#contents);
    const known = { fresh: this.#fresh, keys: this.#keys, leases: this.#seenLeases };
    this.#journals = new RunJournals(database, known);
    this.#leases = new RunLeases(database, options, known);
    this.#newRuns = new NewRuns(database, options, {
      ...known,
      contents: this.#contents,
      journals: this.#journals,
    });
  }

  create(
    run: NewRunRecord,
    begin?: BeginRun,
  ): Promise<{ readonly runId: string; readonly isNew: boolean }> {
    return this.#newRuns.create(run, begin);
  }

  async find(caller: Caller | null, runIdOrPrefix: string): Promise<RunRecord | undefined> {
    const unsynced = this.#unsynced.of(runIdOrPrefix);
    if (unsynced) await unsynced;
    const row = this.#meant(findSql, runIdOrPrefix, caller);
    return row && this.#record(row);
  }

  async findWhole(caller: Caller, runIdOrPrefix: string): Promise<WholeRun | undefined> {
    const unsynced = this.#unsynced.of(runIdOrPrefix);
    if (unsynced) await unsynced;
    const ended = this.#endedNow(runIdOrPrefix, caller);
    if (ended) {
      const { record, epoch } = ended;
      return { record, signals: [], entries: this.#journals.at(record.runId, epoch) };
    }
    const row = this.#meant(findSql, runIdOrPrefix, caller);
    const record = row && this.#record(row);
    if (!record) return undefined;
    const { runId } = record;
    // Signals first: an entry that comes in between may only make it newer, never contradict it.
    const signals = record.signals === 0 ? [] : await this.signals(runId);
    return { record, signals, entries: this.#journals.at(runId, readNumber(row, 'epoch')) };
  }

  async summary(caller: Caller, runIdOrPrefix: string): Promise<RunSummary | undefined> {
    const unsynced = this.#unsynced.of(runIdOrPrefix);
    if (unsynced) await unsynced;
    const fresh = this.#fresh.summarize(runIdOrPrefix, caller);
    if (fresh) return fresh;
    const ended = this.#endedNow(runIdOrPrefix, caller);
    if (ended) return summaryOf(ended.record);
    const row = this.#meant(summarySql, runIdOrPrefix, caller);
    return row && readSummary(row, this.#isoTime);
  }

  async list(caller: Caller, { status, limit, where }: RunFilter): Promise<readonly RunSummary[]> {
    await this.#unsynced.of('');
    const place = (where && this.#options.place) ?? null;
    const wanted = [caller.id, status ? JSON.stringify(status) : null, limit, place] as const;
    const rows = this.#database.readOne((statements) => statements(listSql).all(...wanted));
    return rows.map((row) => readSummary(row, this.#isoTime));
  }

  async journal(runId: string, from = 0): Promise<readonly JournalEntry[]> {
    return this.#journals.of(runId, from);
  }

  async signals(runId: string): Promise<readonly SignalRecord[]> {
    const rows = this.#database.readOne((statements) => statements(signalsSql).all(runId));
    return rows.map((row) => readSignal(row, this.#database.options.path));
  }

  unclaimed(...wanted: Parameters<RunStore['unclaimed']>): Promise<readonly string[]> {
    return this.#leases.unclaimed(...wanted);
  }

  async claim(runId: string, owner: RunOwner): Promise<Lease | undefined> {
    const [claimed] = await this.#leases.claimAll([runId], owner);
    return claimed && { runId, epoch: claimed.epoch, untilMs: claimed.untilMs };
  }

  claimAll(runIds: readonly string[], owner: RunOwner): Promise<readonly Claim[]> {
    return this.#leases.claimAll(runIds, owner);
  }

  renew(leases: readonly Lease[]): Promise<readonly Lease[]> {
    return this.#leases.renew(leases);
  }

  release(releases: readonly Release[]): Promise<void> {
    return this.#leases.release(releases);
  }

  async notices(runIds: readonly string[]): Promise<readonly RunNotice[]> {
    const wanted = JSON.stringify(runIds);
    const rows = this.#database.readOne((statements) => statements(noticesSql).all(wanted));
    return rows.map(readNotice);
  }

  commit(
    changes: readonly RunChange[],
    durability: CommitDurability,
  ): CommitReport | Promise<CommitReport> {
    const [change, another] = changes;
    if (!change) return { lost: [] };
    const isOneStatement = !another && change.status === undefined;
    const apply = (statements: Statements): CommitReport => {
      const lost: string[] = [];
      const version = isOneStatement ? undefined : readVersion(statements);
      if (version !== undefined) this.#seenLeases.open(version);
      for (const each of changes) {
        if (this.#apply(statements, each)) continue;
        this.#fresh.forget(each.lease.runId);
        lost.push(each.lease.runId);
      }
      this.#journals.writeHeld(statements);
      if (durability === 'soon') this.#ended.onCommitting(version);
      return { lost };
    };
    return nowOrWhileStoreBusy(this.#options.patienceMs, () => {
      try {
        const report = isOneStatement
          ? this.#database.writeOne({ durability }, apply)
          : this.#database.write({ durability }, apply);
        this.#journals.onCommitted();
        const synced =
          durability === 'soon'
            ? this.#unsynced.add(changes, () => this.#database.synced())
            : undefined;
        this.#ended.onCommitted(synced);
        return report;
      } catch (error) {
        this.#journals.onFailed();
        this.#ended.onFailed();
        throw error;
      } finally {
        this.#seenLeases.close();
      }
    });
  }

  synced(): Promise<void> {
    return this.#database.synced();
  }

  async signal(runId: string, signal: SignalRecord): Promise<boolean> {
    return this.#write(full, (statements) => {
      this.#forget(runId);
      return addRunSignal(statements, runId, signal);
    });
  }

  async request(runId: string, request: 'cancel' | 'pause' | null, reason?: string): Promise<void> {
    await this.#write(full, (statements) => {
      this.#forget(runId);
      statements(requestSql).run(runId, request, reason ?? null);
    });
  }

  async amend(runId: string, change: Amendment): Promise<boolean> {
    const { entries, status, dropSignals = [], deadlineMs, seen } = change;
    const now = this.#options.clock.now();
    const hasDeadline = deadlineMs === undefined ? 0 : 1;
    const isEnd = isOver(status) ? 1 : 0;
    return this.#write(full, (statements) => {
      this.#forget(runId);
      const { changes } = statements(amendSql).run(
        runId,
        now,
        status,
        hasDeadline,
        deadlineMs ?? null,
        isEnd,
        seen?.status ?? null,
        seen?.entries ?? null,
      );
      if (changes === 0) return false;
      if (entries.length > 0) this.#journals.add(statements, runId, entries);
      for (const name of dropSignals) statements(dropSignalSql).run(runId, name);
      countRunSignals(statements, runId);
      return true;
    });
  }

  version(): number {
    return this.#database.readOne(readVersion);
  }

  async prune(endedBeforeMs: number, limit: number): Promise<readonly PrunedRun[]> {
    const removed: PrunedRun[] = [];
    // It is asked with every start. What ends from now on does so later than now.
    if (endedBeforeMs <= this.#noneEndedBeforeMs) return removed;
    const nowMs = this.#options.clock.now();
    const oldest = this.#database.readOne((statements) => statements(oldestSql).get());
    this.#noneEndedBeforeMs = oldest ? readNumber(oldest, 'ended_at_ms') : nowMs;
    if (endedBeforeMs <= this.#noneEndedBeforeMs) return removed;
    while (removed.length < limit) {
      const count = Math.min(pruneBatch, limit - removed.length);
      // A row that came back with the power would miss an artifact that was collected because it had gone.
      const pruned = await this.#write(full, (statements) => {
        const gone = removeEndedRuns(statements, endedBeforeMs, count);
        this.#options.lastFact?.forget(gone.map(({ runId }) => runId));
        return gone;
      });
      removed.push(...pruned);
      if (pruned.length < count) break;
    }
    return removed;
  }

  #record(row: Row): RunRecord | undefined {
    const { path } = this.#database.options;
    const contents = this.#contents.of(String(row['run_id']));
    return contents && readRecord(row, contents, { path, isoTime: this.#isoTime });
  }

  /** What is known of it is about to change; within the write, so that nothing is remembered again before. */
  #forget(runId: string): void {
    this.#fresh.forget(runId);
    this.#ended.forget(runId);
    this.#seenLeases.forget(runId);
  }

  #endedNow(runId: string, caller: Caller): EndedRun | undefined {
    const ended = this.#ended.get(runId, () => this.version());
    return ended?.record.callerId === caller.id ? ended : undefined;
  }

  #meant(sql: MeaningSql, runIdOrPrefix: string, caller: Caller | null): Row | undefined {
    return this.#database.readOne((statements) =>
      findMeant(statements, sql, { runIdOrPrefix, caller }),
    );
  }

  #write<Result>(terms: WriteTerms, work: (statements: Statements) => Result): Promise<Result> {
    return this.#patiently(() => this.#database.write(terms, work));
  }

  #patiently<Result>(work: () => Result): Promise<Result> {
    return whileStoreBusy(this.#options.patienceMs, work);
  }

  /** False when the lease is gone; then nothing was written. */
  #apply(statements: Statements, change: RunChange): boolean {
    const { lease, entries, status, outcome } = change;
    if (entries.length > 0 && !this.#journals.addLeased(statements, change)) return false;
    if (status === undefined) return true;
    const { runId, epoch } = lease;
    this.#fresh.forget(runId);
    if (!isOver(status)) return statements(statusSql).run(runId, epoch, status).changes > 0;
    const key = this.#keys.of(statements, runId);
    const endedAtMs = this.#options.clock.now();
    const cells = [status, jsonOrNull(outcome), endedAtMs, key] as const;
    this.#keys.forget(runId);
    this.#seenLeases.forget(runId);
    // What may have come from outside since it was taken on has to be read.
    if (statements(endUntouchedSql).run(runId, epoch, ...cells).changes === 0) {
      return statements(endSql).run(runId, epoch, ...cells).changes > 0;
    }
    if (change.record && outcome !== undefined) {
      const untouched = { request: null, requestReason: null, signals: 0 } as const;
      const end = { status, outcome, endedAt: this.#isoTime(endedAtMs) };
      this.#ended.add({ record: { ...change.record, ...untouched, ...end }, epoch });
    }
    return true;
  }
}

/** Changes whenever another connection has committed something. */
function readVersion(statements: Statements): number {
  const row = statements('PRAGMA data_version').get();
  return row ? readNumber(row, 'data_version') : 0;
}

const ends: ReadonlySet<RunStatus> = new Set(['succeeded', 'failed', 'cancelled']);

function isOver(status: RunStatus): boolean {
  return ends.has(status);
}
