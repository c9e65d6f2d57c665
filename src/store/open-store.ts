import { join } from 'node:path';
import type { AuditStore, KeyStore } from '../access/index.ts';
import type { ChoiceLog, DelegationStore } from '../agents/index.ts';
import type { ArtifactIndex, ModelIndex } from '../artifacts/index.ts';
import type { AnswerStore } from '../contract/answer/index.ts';
import type { ClientSessionStore } from '../contract/client-session/index.ts';
import type { InstanceStore } from '../contract/instance/index.ts';
import type { LoginStore } from '../fleet/index.ts';
import { isGone, systemClock, systemTimers, type Clock } from '../kernel/index.ts';
import type {
  ContextStore,
  CopyStore,
  ExperienceStore,
  FeedbackStore,
  MemoryItemStore,
  PreferenceStore,
  SessionStore,
} from '../memory/index.ts';
import type { SpendingStore } from '../models/index.ts';
import type { TraceReadLimits, TraceStore } from '../observe/index.ts';
import type { RunStore } from '../workflow/engine/index.ts';
import type { EffectStore, StepCache } from '../workflow/effects/index.ts';
import { openPostgres } from './postgres/open-postgres.ts';
import { backupDatabase } from './sqlite/backup-database.ts';
import { checkIntegrity, type IntegrityReport } from './sqlite/check-integrity.ts';
import { migrations } from './sqlite/migrate.ts';
import { LastFact } from './sqlite/last-fact.ts';
import { openSqlStores } from './sql/open-sql-stores.ts';
import { SqlAuditStore } from './sql/sql-audit-store.ts';
import { SqliteMemory } from './sqlite/sqlite-memory.ts';
import { SqliteSql } from './sqlite/sqlite-sql.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';
import { SqliteRunStore } from './sqlite/sqlite-run-store.ts';
import { SqliteEffectStore } from './sqlite/sqlite-effect-store.ts';
import { SqlSpendingStore } from './sql/sql-spending-store.ts';
import { SqliteStepCache } from './sqlite/sqlite-step-cache.ts';
import { SqliteTraceStore } from './sqlite/sqlite-trace-store.ts';

export interface StoreOptions {
  /** The data directory; created, for its owner alone, when it is not there. */
  readonly home: string;
  /** Address of a PostgreSQL database that several machines share; without it the database is a file in `home`. */
  readonly databaseUrl?: string | undefined;
  /** Reads what is there and creates, changes and upgrades nothing. */
  readonly readonly?: boolean;
  readonly clock?: Clock;
  readonly traceLimits: TraceReadLimits;
  /** Where this process works, which may change: it is not offered the runs that belong to other places. */
  readonly place?: () => Promise<string>;
  /** How long anything but recording spans waits for another process to finish its write. */
  readonly busyTimeoutMs?: number;
  /** How long recording spans waits, which it does while calls are served: they all stand still. */
  readonly spanBusyTimeoutMs?: number;
}

/** What a database server says about itself. */
export interface ServerReport {
  readonly version: string;
  /** One question and its answer. */
  readonly latencyMs: number;
  readonly bytes: number;
}

/** The database of a data directory, or on a server, and the ports it implements. Several processes may have it open. */
export interface Store {
  /** The database file, or the address without its password. */
  readonly path: string;
  /** Undefined where the database is a file. */
  readonly server?: { describe(): Promise<ServerReport> };
  readonly traces: TraceStore;
  readonly runs: RunStore;
  readonly artifactIndex: ArtifactIndex;
  readonly modelIndex: ModelIndex;
  readonly effects: EffectStore;
  readonly stepCache: StepCache;
  readonly spending: SpendingStore;
  readonly sessions: SessionStore;
  readonly preferences: PreferenceStore;
  readonly memoryItems: MemoryItemStore;
  readonly contexts: ContextStore;
  readonly copies: CopyStore;
  readonly feedback: FeedbackStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly logins: LoginStore;
  readonly answers: AnswerStore;
  readonly clientSessions: ClientSessionStore;
  readonly instances: InstanceStore;
  readonly experience: ExperienceStore;
  readonly delegations: DelegationStore;
  readonly choices: ChoiceLog;
  /** Whether the database file is there yet; true of a server. */
  exists(): boolean;
  /** Of the database file: a server checks its own. */
  checkIntegrity(): IntegrityReport;
  /** Copies the database while it is in use; throws `store.backup_refused` rather than replace a file, and of a server. */
  backup(target: string, options?: { readonly force?: boolean }): Promise<void>;
  close(): void;
}

const databaseName = 'tutti.db';
const auditHeadFile = (path: string): string => `${path}-audit`;
const defaultBusyTimeoutMs = 10_000;
const defaultSpanBusyTimeoutMs = 50;
/** Of writes during which answers are read, or that stay queued and are written with the next. */
const shortBusyTimeoutMs = 50;
/** Then other work of this process has its turn, and the write is tried again. */
const runBusyTimeoutMs = 250;

/** Touches no file and no server until something is read or written, so that commands that need no data pay nothing. */
export function openStore(options: StoreOptions): Store {
  const { databaseUrl } = options;
  return databaseUrl === undefined ? openFile(options) : openPostgres({ ...options, databaseUrl });
}

function openFile(options: StoreOptions): Store {
  const path = join(options.home, databaseName);
  const clock = options.clock ?? systemClock;
  // Leases last: those who hold them go by the same clock.
  const steady = options.clock ?? systemTimers;
  const databaseOptions = {
    path,
    isReadonly: options.readonly ?? false,
    migrations,
    clock,
    busyTimeoutMs: options.busyTimeoutMs ?? defaultBusyTimeoutMs,
  };
  const database = new SqliteDatabase(databaseOptions);
  // Its own, because every step of a run is a commit: others would change the settings in between.
  const runDatabase = new SqliteDatabase({
    ...databaseOptions,
    busyTimeoutMs: Math.min(databaseOptions.busyTimeoutMs, runBusyTimeoutMs),
  });
  const patienceMs = databaseOptions.busyTimeoutMs;
  const sql = new SqliteSql(database, { patienceMs });
  const impatient = new SqliteSql(database, { patienceMs, busyTimeoutMs: shortBusyTimeoutMs });
  const queued = { patienceMs: 0, busyTimeoutMs: shortBusyTimeoutMs };
  const lastFact = options.readonly === true ? undefined : new LastFact(path);
  return {
    path,
    traces: new SqliteTraceStore(database, {
      limits: options.traceLimits,
      busyTimeoutMs: options.spanBusyTimeoutMs ?? defaultSpanBusyTimeoutMs,
    }),
    effects: new SqliteEffectStore(database, lastFact),
    stepCache: new SqliteStepCache(database),
    ...openSqlStores(sql, {
      clock,
      leaseClock: steady,
      memory: new SqliteMemory(database, { patienceMs }),
    }),
    spending: new SqlSpendingStore(impatient, { clock }),
    runs: new SqliteRunStore(runDatabase, {
      clock: steady,
      isGone,
      lastFact,
      place: options.place,
      patienceMs,
    }),
    audit: new SqlAuditStore(new SqliteSql(database, queued), { headFile: auditHeadFile(path) }),
    exists: () => database.exists,
    checkIntegrity: () => checkIntegrity(database),
    async backup(target, { force = false } = {}) {
      // A first read creates or upgrades the database, or says why it cannot be used.
      database.read(() => undefined);
      await backupDatabase({ path, target, force });
    },
    close() {
      lastFact?.close();
      runDatabase.close();
      database.close();
    },
  };
}
