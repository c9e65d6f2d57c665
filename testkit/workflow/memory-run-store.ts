import type { Caller } from '../../src/contract/caller/index.ts';
import type { EngineName, RunFilter, RunSummary } from '../../src/contract/run/index.ts';
import type { Clock, ProcessIdentity } from '../../src/kernel/index.ts';
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
} from '../../src/workflow/engine/run-store.ts';

interface MemoryRun {
  record: RunRecord;
  readonly idempotencyKey: string | null;
  readonly place: string | null;
  readonly createdAtMs: number;
  endedAtMs: number | null;
  readonly journal: JournalEntry[];
  signals: SignalRecord[];
  wakeAtMs: number;
  epoch: number;
  lease: { readonly owner: RunOwner; readonly untilMs: number } | undefined;
}

export interface MemoryRunStoreParts {
  readonly clock: Clock;
  readonly isGone: (process: ProcessIdentity) => Promise<boolean>;
  readonly place?: () => Promise<string>;
}

const ends = ['succeeded', 'failed', 'cancelled'];

/** What several processes would share. */
export class MemoryRuns {
  readonly runs = new Map<string, MemoryRun>();
  writes = 0;
}

/** Runs in memory, as one process sees them. Values are copied on their way in and out, as a database does. */
export class MemoryRunStore implements RunStore {
  readonly #parts: MemoryRunStoreParts;
  readonly #shared: MemoryRuns;
  #ownWrites = 0;

  constructor(parts: MemoryRunStoreParts, shared = new MemoryRuns()) {
    this.#parts = parts;
    this.#shared = shared;
  }

  async create(
    run: NewRunRecord,
    onStored?: (runId: string) => void,
  ): Promise<{ runId: string; isNew: boolean }> {
    const { runId, callerId, idempotencyKey, createdAtMs, journal = [], signals = [] } = run;
    const same = this.#all().find(
      (other) =>
        idempotencyKey !== null &&
        other.idempotencyKey === idempotencyKey &&
        other.record.callerId === callerId,
    );
    if (same) return { runId: same.record.runId, isNew: false };
    this.#wrote();
    this.#shared.runs.set(runId, {
      record: newRecord(run),
      idempotencyKey,
      place: run.place ?? null,
      createdAtMs,
      endedAtMs: null,
      journal: [...journal],
      signals: [...signals],
      wakeAtMs: 0,
      epoch: 0,
      lease: undefined,
    });
    onStored?.(runId);
    return { runId, isNew: true };
  }

  async find(caller: Caller | null, runIdOrPrefix: string): Promise<RunRecord | undefined> {
    const found = this.#all().filter(
      ({ record }) =>
        record.runId.startsWith(runIdOrPrefix) && (!caller || record.callerId === caller.id),
    );
    const run = found.find(({ record }) => record.runId === runIdOrPrefix);
    const meant = run ?? (found.length === 1 ? found[0] : undefined);
    return meant && { ...structuredClone(meant.record), signals: meant.signals.length };
  }

  async findWhole(caller: Caller | null, runIdOrPrefix: string): Promise<WholeRun | undefined> {
    const record = await this.find(caller, runIdOrPrefix);
    if (!record) return undefined;
    const { runId } = record;
    return { record, signals: await this.signals(runId), entries: await this.journal(runId) };
  }

  async summary(caller: Caller, runIdOrPrefix: string): Promise<RunSummary | undefined> {
    const record = await this.find(caller, runIdOrPrefix);
    return record && summaryOf(record);
  }

  async list(caller: Caller, filter: RunFilter): Promise<readonly RunSummary[]> {
    const { status, limit, where, after } = filter;
    const sorted = this.#all()
      .filter(({ record }) => record.callerId === caller.id)
      .toSorted(
        (a, b) => b.createdAtMs - a.createdAtMs || (a.record.runId < b.record.runId ? 1 : -1),
      );
    const at = sorted.findIndex(({ record }) => record.runId === after);
    if (after !== undefined && at === -1) return [];
    return sorted
      .slice(at + 1)
      .filter(await this.#here(where ?? 'anywhere'))
      .filter(({ record }) => !status || status.includes(record.status))
      .slice(0, limit)
      .map(({ record }) => summaryOf(record));
  }

  async journal(runId: string): Promise<readonly JournalEntry[]> {
    return structuredClone(this.#shared.runs.get(runId)?.journal ?? []);
  }

  async signals(runId: string): Promise<readonly SignalRecord[]> {
    return structuredClone(this.#shared.runs.get(runId)?.signals ?? []);
  }

  async unclaimed(
    engine: EngineName,
    limit: number,
    where: 'here' | 'anywhere' = 'here',
  ): Promise<readonly string[]> {
    const now = this.#parts.clock.now();
    const isHere = await this.#here(where);
    const free: MemoryRun[] = [];
    for (const run of this.#all()) {
      const isToDo = isHere(run) && run.endedAtMs === null && run.wakeAtMs <= now;
      if (run.record.engine === engine && isToDo && (await this.#isFree(run))) free.push(run);
    }
    return free
      .toSorted(
        (a, b) => a.createdAtMs - b.createdAtMs || (a.record.runId < b.record.runId ? -1 : 1),
      )
      .slice(0, limit)
      .map(({ record }) => record.runId);
  }

  async #claim(runId: string, owner: RunOwner): Promise<Lease | undefined> {
    const run = this.#shared.runs.get(runId);
    const epoch = run?.epoch;
    if (!run || run.endedAtMs !== null || !(await this.#isFree(run))) return undefined;
    if (run.epoch !== epoch) return undefined;
    this.#wrote();
    const now = this.#parts.clock.now();
    const untilMs = now + owner.leaseMs;
    run.epoch += 1;
    run.lease = { owner, untilMs };
    run.wakeAtMs = 0;
    const { record } = run;
    const isBegun =
      record.status === 'queued' || (record.status === 'paused' && record.request === null);
    run.record = {
      ...record,
      startedAt: record.startedAt ?? new Date(now).toISOString(),
      status: isBegun ? 'running' : record.status,
    };
    return { runId, epoch: run.epoch, untilMs };
  }

  async claim(runIds: readonly string[], owner: RunOwner): Promise<readonly Lease[]> {
    const leases = await Promise.all(runIds.map((runId) => this.#claim(runId, owner)));
    return leases.filter((lease) => lease !== undefined);
  }

  async renew(leases: readonly Lease[]): Promise<readonly Lease[]> {
    this.#wrote();
    return leases.flatMap((lease) => {
      const run = this.#leased(lease);
      if (!run?.lease) return [];
      const { owner } = run.lease;
      const untilMs = this.#parts.clock.now() + owner.leaseMs;
      run.lease = { owner, untilMs };
      return [{ runId: lease.runId, epoch: lease.epoch, untilMs }];
    });
  }

  async release(releases: readonly Release[]): Promise<void> {
    this.#wrote();
    for (const { lease, idle } of releases) {
      const run = this.#leased(lease);
      if (!run) continue;
      run.lease = undefined;
      const { status, request } = run.record;
      const isAsked = status === 'paused' ? request !== 'pause' : request !== null;
      const isToDo = !idle || run.signals.length > idle.signals || isAsked;
      run.wakeAtMs = isToDo ? 0 : (idle.untilMs ?? Infinity);
    }
  }

  async notices(runIds: readonly string[]): Promise<readonly RunNotice[]> {
    return runIds.flatMap((runId) => {
      const run = this.#shared.runs.get(runId);
      if (!run) return [];
      const { request, requestReason } = run.record;
      return [{ runId, request, requestReason, signals: run.signals.length }];
    });
  }

  async synced(): Promise<void> {}

  async commit(changes: readonly RunChange[]): Promise<CommitReport> {
    this.#wrote();
    const lost = changes.filter((change) => !this.#apply(change));
    return { lost: lost.map(({ lease }) => lease.runId) };
  }

  async signal(runId: string, signal: SignalRecord): Promise<boolean> {
    const run = this.#shared.runs.get(runId);
    if (!run || run.signals.some(({ name }) => name === signal.name)) return false;
    this.#wrote();
    run.signals.push(structuredClone(signal));
    run.wakeAtMs = 0;
    return true;
  }

  async request(runId: string, request: 'cancel' | 'pause' | null, reason?: string): Promise<void> {
    const run = this.#shared.runs.get(runId);
    if (!run || run.endedAtMs !== null || run.record.request === 'cancel') return;
    this.#wrote();
    run.record = { ...run.record, request, requestReason: reason ?? null };
    run.wakeAtMs = 0;
  }

  async amend(runId: string, change: Amendment): Promise<boolean> {
    const run = this.#shared.runs.get(runId);
    const now = this.#parts.clock.now();
    if (!run || (run.lease && run.lease.untilMs > now) || !isAsSeen(run, change)) return false;
    this.#wrote();
    const { entries, status, dropSignals = [], deadlineMs } = change;
    run.journal.push(...structuredClone(entries));
    run.signals = run.signals.filter(({ name }) => !dropSignals.includes(name));
    run.epoch += 1;
    run.lease = undefined;
    run.wakeAtMs = 0;
    const { outcome, ...rest } = run.record;
    const isBeingCancelled = run.endedAtMs === null && rest.request === 'cancel';
    const kept = {
      ...rest,
      status,
      ...(isBeingCancelled ? {} : { request: null, requestReason: null }),
    };
    const deadline = deadlineMs === undefined ? rest.deadlineMs : deadlineMs;
    if (ends.includes(status)) {
      run.record = { ...kept, ...(outcome === undefined ? {} : { outcome }), deadlineMs: deadline };
    } else {
      run.endedAtMs = null;
      run.record = { ...kept, endedAt: null, deadlineMs: deadline };
    }
    return true;
  }

  async revision(): Promise<number> {
    return this.#shared.writes - this.#ownWrites;
  }

  async prune(endedBeforeMs: number, limit: number): Promise<readonly PrunedRun[]> {
    this.#wrote();
    const old = this.#all()
      .filter(({ endedAtMs }) => endedAtMs !== null && endedAtMs < endedBeforeMs)
      .toSorted((a, b) => (a.endedAtMs ?? 0) - (b.endedAtMs ?? 0))
      .slice(0, limit)
      .map(({ record: { runId, callerId } }) => ({ runId, callerId }));
    for (const { runId } of old) this.#shared.runs.delete(runId);
    return old;
  }

  async remove(caller: Caller, runIds: readonly string[]): Promise<readonly PrunedRun[]> {
    this.#wrote();
    const gone = this.#all()
      .filter(({ endedAtMs, record: { runId, callerId } }) => {
        return endedAtMs !== null && callerId === caller.id && runIds.includes(runId);
      })
      .map(({ record: { runId, callerId } }) => ({ runId, callerId }));
    for (const { runId } of gone) this.#shared.runs.delete(runId);
    return gone;
  }

  #apply({ lease, entries, status, outcome }: RunChange): boolean {
    const run = this.#leased(lease);
    if (!run) return false;
    run.journal.push(...structuredClone(entries));
    if (status === undefined) return true;
    run.record = { ...run.record, status };
    if (!ends.includes(status)) return true;
    run.endedAtMs = this.#parts.clock.now();
    run.lease = undefined;
    const endedAt = new Date(run.endedAtMs).toISOString();
    run.record = { ...run.record, endedAt, ...(outcome === undefined ? {} : { outcome }) };
    return true;
  }

  #leased({ runId, epoch }: Lease): MemoryRun | undefined {
    const run = this.#shared.runs.get(runId);
    return run?.lease && run.epoch === epoch ? run : undefined;
  }

  async #isFree({ lease }: MemoryRun): Promise<boolean> {
    if (!lease || lease.untilMs <= this.#parts.clock.now()) return true;
    return this.#parts.isGone(lease.owner);
  }

  async #here(where: 'here' | 'anywhere'): Promise<(run: MemoryRun) => boolean> {
    const place = where === 'anywhere' ? undefined : await this.#parts.place?.();
    return (run) => place === undefined || run.place === null || run.place === place;
  }

  #all(): MemoryRun[] {
    return [...this.#shared.runs.values()];
  }

  #wrote(): void {
    this.#ownWrites += 1;
    this.#shared.writes += 1;
  }
}

function isAsSeen({ record, journal }: MemoryRun, { seen }: Amendment): boolean {
  if (!seen) return true;
  return record.status === seen.status && journal.length === (seen.entries ?? journal.length);
}

function newRecord(run: NewRunRecord): RunRecord {
  const { runId, callerId, plan, input, engine, deadlineMs, forkedFrom, meta } =
    structuredClone(run);
  return {
    runId,
    callerId,
    plan,
    input,
    engine,
    deadlineMs,
    forkedFrom,
    ...(typeof run.place === 'string' && { folder: run.place }),
    meta,
    name: plan.name ?? null,
    goal: plan.goal ?? null,
    status: 'queued',
    createdAt: new Date(run.createdAtMs).toISOString(),
    startedAt: null,
    endedAt: null,
    request: null,
    requestReason: null,
    signals: 0,
  };
}

function summaryOf(record: RunRecord): RunSummary {
  const { runId, name, goal, status, engine, createdAt, startedAt, endedAt, forkedFrom } = record;
  const summary = { runId, name, goal, status, engine, createdAt, startedAt, endedAt, forkedFrom };
  return { ...summary, ...(record.folder !== undefined && { folder: record.folder }) };
}
