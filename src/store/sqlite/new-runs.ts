import type { BeginRun, Claim, NewRunRecord, RunOwner } from '../../workflow/engine/index.ts';
import type { FreshRuns } from './fresh-runs.ts';
import { insertRun } from './insert-run.ts';
import type { RunContents } from './run-contents.ts';
import type { RunJournals } from './run-journals.ts';
import type { RunKeys } from './run-keys.ts';
import type { RunStoreOptions } from './run-leases.ts';
import { addRunSignal } from './run-signals.ts';
import type { SeenLeases } from './seen-leases.ts';
import { inheritMakersSql } from './sqlite-artifact-index.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';
import { whileStoreBusy } from './while-store-busy.ts';
import { WriteGroup } from './write-group.ts';

const sameStartSql = 'SELECT run_id FROM runs WHERE caller_id = ? AND idempotency_key = ?';

interface NewRunsParts {
  readonly contents: RunContents;
  readonly fresh: FreshRuns;
  readonly keys: RunKeys;
  readonly leases: SeenLeases;
  readonly journals: RunJournals;
}

interface Created {
  readonly runId: string;
  readonly isNew: boolean;
  readonly claim?: Claim | undefined;
}

/** How runs come into the store: the part of the run store that is about their creation. */
export class NewRuns {
  readonly #database: SqliteDatabase;
  readonly #options: RunStoreOptions;
  readonly #parts: NewRunsParts;
  readonly #group: WriteGroup;

  constructor(database: SqliteDatabase, options: RunStoreOptions, parts: NewRunsParts) {
    this.#database = database;
    this.#options = options;
    this.#parts = parts;
    this.#group = new WriteGroup(database, options.patienceMs);
  }

  async create(
    run: NewRunRecord,
    begin: BeginRun | undefined,
  ): Promise<{ runId: string; isNew: boolean }> {
    const { callerId, idempotencyKey, durability = 'full' } = run;
    if (durability === 'full') {
      await whileStoreBusy(this.#options.patienceMs, () => this.#database.assertSyncable());
    }
    const created = await this.#group.write('normal', (statements): Created => {
      const same =
        idempotencyKey === null
          ? undefined
          : statements(sameStartSql).get(callerId, idempotencyKey);
      if (same) return { runId: String(same['run_id']), isNew: false };
      return { runId: run.runId, isNew: true, claim: this.#insert(statements, run, begin?.owner) };
    });
    const { runId, isNew, claim } = created;
    if (claim) this.#parts.leases.add(runId, claim.epoch);
    if (isNew) begin?.onStored(runId, claim);
    // Of those that were stored together the first one's sync is that of all.
    if (durability === 'full') {
      await this.#database.synced();
      if (isNew) this.#options.lastFact?.note({ runId });
    }
    return { runId, isNew };
  }

  #insert(statements: Statements, run: NewRunRecord, owner?: RunOwner): Claim | undefined {
    const { contents, fresh, keys } = this.#parts;
    const { runId } = run;
    // Only here the lock is held: a lease must not lose the time that was spent waiting for it.
    const takenAtMs = this.#options.clock.now();
    const lease = owner && { owner, takenAtMs, untilMs: takenAtMs + owner.leaseMs };
    const key = insertRun(statements, run, lease);
    keys.keep(runId, key);
    contents.add(statements, run, key);
    this.#takeOver(statements, run);
    fresh.add(run);
    if (!lease) return undefined;
    const claim = { runId, epoch: 1, untilMs: lease.untilMs };
    const record = fresh.take(runId, takenAtMs);
    return record ? { ...claim, fresh: record } : claim;
  }

  /** What a fork takes over must not go with the old run. */
  #takeOver(statements: Statements, run: NewRunRecord): void {
    const { runId, journal = [], signals = [], forkedFrom, callerId } = run;
    if (journal.length > 0) this.#parts.journals.add(statements, runId, journal);
    for (const signal of signals) addRunSignal(statements, runId, signal);
    if (forkedFrom !== null) statements(inheritMakersSql).run(runId, callerId, forkedFrom);
  }
}
