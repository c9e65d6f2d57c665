import type { Pool, PoolClient, QueryResult } from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, type Clock } from '../../kernel/index.ts';
import { DatabaseServerError } from '../errors.ts';
import type { ServerReport } from '../open-store.ts';
import { clientConfig } from './client-config.ts';
import { openListener, type ListenerParts, type PostgresListener } from './listener.ts';
import { assertUsable, migrate, type Migration } from './migrate.ts';
import { failureKind, isStateOf, translateError } from './postgres-errors.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`; never shown. */
  readonly url: string;
  readonly isReadonly: boolean;
  readonly migrations: readonly Migration[];
  readonly clock: Clock;
  /** How long a lost connection is tried again; a restart of the server fits in. */
  readonly patienceMs?: number | undefined;
  readonly maxConnections?: number;
}

export interface Statements {
  /** For a text that is written in the program, never put together from data: it is prepared once per connection. */
  readonly query: <Row = Readonly<Record<string, unknown>>>(
    sql: string,
    params?: readonly unknown[],
  ) => Promise<Row[]>;
}

/** `full`: survives a crash of the database server; `soon`: the same within a second, without waiting for its disk. */
export type PostgresDurability = 'soon' | 'full';

export interface TransactionTerms<Result> {
  readonly durability?: PostgresDurability | undefined;
  /**
   * Whether what the work wrote is there. Asked where the connection was lost during the commit and the server
   * cannot tell; without it that is an error.
   */
  readonly isKept?: ((result: Result, statements: Statements) => Promise<boolean>) | undefined;
}

const defaultPatienceMs = 10_000;
const firstPatienceMs = 2_000;
/** Of one process; PostgreSQL accepts 100 from all of them unless it is configured otherwise. */
const defaultMaxConnections = 10;
const idleConnectionMs = 30_000;
/** Deadlocks and serialization failures of one transaction. */
const maxConflicts = 10;
const firstPauseMs = 10;
const maxPauseMs = 500;
/** Then texts are sent unprepared: those of the program are far fewer. */
const maxPrepared = 500;

/**
 * A pool of connections, opened at first use. Errors come out as `AppError`s.
 *
 * 1. A transaction is kept whole or not at all, and `transaction` returns once it is committed. Its work may run
 *    several times: after a deadlock, a serialization failure or a lost connection. Where the connection is lost
 *    during the commit, the server is asked whether it was committed; after a crash of the server it sometimes
 *    cannot say: then `isKept` does, or the error says so.
 * 2. `query` outside of a transaction is not repeated once it was sent, unless it is a plain SELECT.
 * 3. Columns: bigint and numeric are numbers (an unsafe one throws), bytea is a Buffer, json is its text.
 * 4. PostgreSQL cannot keep U+0000 in a text: it is written as U+FFFD. JSON made by JSON.stringify has none.
 */
export class PostgresDatabase implements Statements {
  readonly options: PostgresOptions;
  /** The address without its password, for messages. */
  readonly path: string;
  readonly #names = new Map<string, string>();
  readonly #lives = new WeakMap<PoolClient, string>();
  #pool: Promise<Pool> | undefined;
  #isPrepared = false;

  constructor(options: PostgresOptions) {
    this.options = options;
    this.path = nameOf(options.url);
  }

  readonly query = async <Row = Readonly<Record<string, unknown>>>(
    sql: string,
    params: readonly unknown[] = [],
  ): Promise<Row[]> => {
    const isRepeatable = /^\s*SELECT\b/i.test(sql);
    return this.#patiently(async () => {
      const client = await this.#connect();
      const outcome = await run(client, () => this.#send<Row>(client, sql, params));
      if (outcome.kind === 'done') return outcome.value;
      if (outcome.failure === 'lost' && !isRepeatable) throw this.#unknownOutcome(outcome.error);
      throw outcome.error;
    });
  };

  async transaction<Result>(
    work: (statements: Statements) => Promise<Result>,
    { durability = 'full', isKept }: TransactionTerms<Result> = {},
  ): Promise<Result> {
    return this.#patiently(() => this.#attempt(work, { durability, isKept }));
  }

  /** For `tutti doctor`. */
  async describe(): Promise<ServerReport> {
    // The first question connects and migrates.
    await this.query('SELECT 1');
    const startedAtMs = performance.now();
    await this.query('SELECT 1');
    const latencyMs = performance.now() - startedAtMs;
    const [row] = await this.query<{ version: string; bytes: number }>(
      `SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes`,
    );
    // Debian adds the name of its package.
    const [version = ''] = (row?.version ?? '').split(' ');
    return { version, latencyMs, bytes: row?.bytes ?? 0 };
  }

  /** A connection of its own that receives the notices of this channel, until it is closed or lost. */
  async listen(channel: string, parts: ListenerParts): Promise<PostgresListener> {
    return this.#patiently(() => openListener(this.options, channel, parts));
  }

  /** May be used again afterwards. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    this.#isPrepared = false;
    // One that could not be opened needs no closing.
    await pool?.then((it) => it.end()).catch(() => undefined);
  }

  async #attempt<Result>(
    work: (statements: Statements) => Promise<Result>,
    { durability = 'full', isKept }: TransactionTerms<Result>,
  ): Promise<Result> {
    const client = await this.#connect();
    let mark: TransactionMark | undefined;
    let finished: { readonly value: Result } | undefined;
    const outcome = await run(client, async () => {
      mark = await this.#begin(client, durability);
      const value = await work({ query: (sql, params) => this.#send(client, sql, params ?? []) });
      finished = { value };
      const { command } = await client.query('COMMIT');
      if (command !== 'COMMIT') throw new Error('The work went on after a statement had failed');
      return value;
    });
    if (outcome.kind === 'done') return outcome.value;
    // Committed or not: only the server knows.
    if (outcome.failure === 'lost' && finished && mark) {
      const { value } = finished;
      const findOut = isKept && ((): Promise<boolean> => isKept(value, this));
      if (await this.#isCommitted(mark, outcome.error, findOut)) return value;
    }
    throw outcome.error;
  }

  /** By which the outcome of the transaction can be asked for; undefined where there is nothing to commit. */
  async #begin(
    client: PoolClient,
    durability: PostgresDurability,
  ): Promise<TransactionMark | undefined> {
    if (this.options.isReadonly) {
      await client.query('BEGIN READ ONLY');
      return undefined;
    }
    const life = this.#lives.get(client) ?? (await readLife(client));
    this.#lives.set(client, life);
    const soon = durability === 'soon' ? 'SET LOCAL synchronous_commit = off; ' : '';
    // Several statements in one text are answered by several results, which the types do not say.
    const results: unknown = await client.query(
      `BEGIN; ${soon}SELECT pg_current_xact_id()::text AS xid`,
    );
    const last = Array.isArray(results)
      ? (results.at(-1) as QueryResult<{ xid: string }>)
      : undefined;
    const xid = last?.rows[0]?.xid;
    return xid === undefined ? undefined : { xid, life };
  }

  /** Throws where it cannot be known: a server that crashed may have given the number to another transaction since. */
  async #isCommitted(
    { xid, life }: TransactionMark,
    cause: unknown,
    findOut: (() => Promise<boolean>) | undefined,
  ): Promise<boolean> {
    const giveUpAtMs = performance.now() + this.#patienceMs;
    for (;;) {
      const status = await this.#askStatus(xid, life);
      if (status === 'committed') return true;
      if (status === 'aborted') return false;
      // The server may not have noticed yet that we are gone.
      if (status === 'unknown' && findOut) return findOut();
      if (status === 'unknown' || performance.now() >= giveUpAtMs) {
        throw this.#unknownOutcome(cause);
      }
      await pause(firstPauseMs * 5);
    }
  }

  async #askStatus(xid: string, life: string): Promise<string | undefined> {
    try {
      const [row] = await this.query<{ status: string; life: string }>(
        `SELECT pg_xact_status($1::xid8) AS status, ${lifeSql} AS life`,
        [xid],
      );
      return row?.status === 'committed' && row.life !== life ? 'unknown' : row?.status;
    } catch (error) {
      // The server does not know the number (any more): what it stood for was never on its disk.
      return isStateOf(error, '22023') ? 'aborted' : undefined;
    }
  }

  get #patienceMs(): number {
    return this.options.patienceMs ?? defaultPatienceMs;
  }

  /** Tries `work` again while what failed can be expected to pass. */
  async #patiently<Result>(work: () => Promise<Result>): Promise<Result> {
    // A server that was never reached is more likely named wrongly than about to start.
    const patienceMs = this.#isPrepared
      ? this.#patienceMs
      : Math.min(this.#patienceMs, firstPatienceMs);
    const giveUpAtMs = performance.now() + patienceMs;
    let conflicts = 0;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        return await work();
      } catch (error) {
        const failure = failureKind(error);
        if (failure === 'conflict') conflicts += 1;
        const mayPass =
          failure === 'conflict'
            ? conflicts < maxConflicts
            : failure === 'lost' && performance.now() + pauseMs < giveUpAtMs;
        if (!mayPass) throw translateError(error, this.path);
        // Those that met one another must not meet again.
        await pause(pauseMs * (0.5 + Math.random() / 2));
      }
    }
  }

  #unknownOutcome(cause: unknown): AppError {
    return new DatabaseServerError(this.path, cause, 'unknown');
  }

  async #connect(): Promise<PoolClient> {
    this.#pool ??= openPool(this.options);
    const pool = await this.#pool;
    if (!this.#isPrepared) {
      await this.#prepare(pool);
      this.#isPrepared = true;
    }
    return pool.connect();
  }

  async #prepare(pool: Pool): Promise<void> {
    const options = { ...this.options, path: this.path };
    await assertUsable(pool, options);
    if (!this.options.isReadonly) await migrate(pool, options);
  }

  async #send<Row>(client: PoolClient, sql: string, params: readonly unknown[]): Promise<Row[]> {
    const name = this.#nameOf(sql);
    const { rows } = await client.query<Row & Record<string, unknown>>({
      text: sql,
      values: params.map(withoutNul),
      ...(name !== undefined && { name }),
    });
    return rows;
  }

  #nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= maxPrepared) return known;
    const name = `t${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}

/** A transaction, and the life of the server in which it got its number. */
interface TransactionMark {
  readonly xid: string;
  readonly life: string;
}

/** Differs after every recovery from a crash, which resets the statistics; an orderly restart keeps them. */
const lifeSql = '(SELECT stats_reset::text FROM pg_stat_wal)';

async function readLife(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ life: string }>(`SELECT ${lifeSql} AS life`);
  return rows[0]?.life ?? '';
}

type Outcome<Result> =
  | { readonly kind: 'done'; readonly value: Result }
  | {
      readonly kind: 'failed';
      readonly error: unknown;
      readonly failure: ReturnType<typeof failureKind>;
    };

/** Gives the connection back afterwards: without a transaction, or not at all. */
async function run<Result>(
  client: PoolClient,
  work: () => Promise<Result>,
): Promise<Outcome<Result>> {
  try {
    const value = await work();
    client.release();
    return { kind: 'done', value };
  } catch (error) {
    const failure = failureKind(error);
    const isSound =
      failure !== 'lost' &&
      (await client.query('ROLLBACK').then(
        () => true,
        () => false,
      ));
    client.release(!isSound);
    return { kind: 'failed', error, failure };
  }
}

/** Loaded at first use: commands that need no database must not wait for it. */
async function openPool(options: PostgresOptions): Promise<Pool> {
  const { Pool: PgPool, types } = await import('pg');
  const pool = new PgPool({
    ...clientConfig(options, types),
    max: options.maxConnections ?? defaultMaxConnections,
    idleTimeoutMillis: idleConnectionMs,
    allowExitOnIdle: true,
  });
  // A connection that ends while it is not used is replaced; one in use fails its query.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

function withoutNul(value: unknown): unknown {
  if (typeof value === 'string')
    return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
  return Array.isArray(value) ? value.map(withoutNul) : value;
}

function nameOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed) return 'of database_url';
  const host = parsed.searchParams.get('host') ?? parsed.host;
  return `postgres://${host}${parsed.pathname}`;
}
