import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import type { AuditMark, AuditMarks, AuditQuery, AuditStore } from '../../access/index.ts';
import type { AuditEntry } from '../../contract/access/index.ts';
import {
  all,
  one,
  type SqlDatabase,
  type SqlRow,
  type SqlValue,
  type SqlWork,
} from './sql-database.ts';

const columns = `number, at, caller_id, tenant, credential, action, target, is_allowed, rule, face,
  arguments_digest, address, trace_id, previous_digest, digest`;

const columnCount = 15;
/** Entries of one statement: over a network each takes as long as many. */
const insertedAtOnce = 50;

const insertSql = (rows: number): string => {
  const cells = (row: number): string =>
    Array.from({ length: columnCount }, (_, n) => `$${row * columnCount + n + 1}`).join(', ');
  const values = Array.from({ length: rows }, (_, row) => `(${cells(row)})`).join(', ');
  return `INSERT INTO audit_entries (${columns}) VALUES ${values}`;
};
const insertOneSql = insertSql(1);
const insertManySql = insertSql(insertedAtOnce);

const markSql = 'SELECT number, digest FROM audit_marks WHERE name = $1';
const marksSql = 'SELECT name, number, digest FROM audit_marks';
const setMarkSql = `INSERT INTO audit_marks (name, number, digest) VALUES ($1, $2, $3)
  ON CONFLICT (name) DO UPDATE SET number = excluded.number, digest = excluded.digest`;
const lastSql = 'SELECT number, digest FROM audit_entries ORDER BY number DESC LIMIT 1';

/** Goes from the oldest: entries are in the order of their times, up to the clocks of the processes. */
const oldSql = `SELECT number, digest FROM
  (SELECT number, digest, at FROM audit_entries ORDER BY number LIMIT $2) AS oldest
  WHERE at < $1 OR number <= $3 ORDER BY number DESC LIMIT 1`;
const removeSql = 'DELETE FROM audit_entries WHERE number <= $1 RETURNING number';

const listSql = (direction: 'ASC' | 'DESC'): string => `SELECT ${columns} FROM audit_entries
  WHERE number > $1 AND (CAST($2 AS INTEGER) IS NULL OR is_allowed = $2)
    AND (CAST($3 AS TEXT) IS NULL OR caller_id = $3)
    AND (CAST($4 AS INTEGER) = 1 OR tenant IS NOT DISTINCT FROM $5)
  ORDER BY number ${direction} LIMIT $6`;
const pageSql = `SELECT ${columns} FROM audit_entries WHERE number > $1 ORDER BY number LIMIT $2`;

/** Each entry continues the chain of the last one of all processes. */
const terms = { locks: ['audit'], durability: 'soon' } as const;

/** The mark has always the same length: its number has at most 16 digits. */
const headLength = 110;

/** Keeps the audit log, and its last entry in a file beside it too: a database that lacks it was cut. */
export class SqlAuditStore implements AuditStore {
  readonly #database: SqlDatabase;
  readonly #headFile: string;

  constructor(database: SqlDatabase, { headFile }: { readonly headFile: string }) {
    this.#database = database;
    this.#headFile = headFile;
  }

  async append(
    chain: (last: AuditMark | undefined, noted: AuditMark | undefined) => readonly AuditEntry[],
  ): Promise<void> {
    const headFile = this.#headFile;
    const head = await this.#database.write(terms, function* () {
      const last = yield* lastEntry();
      return yield* insert(chain(last, readHead(headFile)));
    });
    this.#note(head);
  }

  async removeOld({
    before,
    maxEntries,
    maxCount,
    seal,
  }: Parameters<AuditStore['removeOld']>[0]): Promise<number> {
    const done = await this.#database.write(terms, function* () {
      const last = yield* lastEntry();
      if (!last) return undefined;
      const removed = markOf(yield* one(oldSql, before, maxCount, last.number - maxEntries));
      if (!removed) return undefined;
      const head = yield* insert([seal(last, removed)]);
      yield* all(setMarkSql, 'start', removed.number, removed.digest);
      const gone = yield* all(removeSql, removed.number);
      return { head, count: gone.length };
    });
    this.#note(done?.head);
    return done?.count ?? 0;
  }

  async list(query: AuditQuery): Promise<readonly AuditEntry[]> {
    const { after = 0, limit, isAllowed, callerId, tenant, isLatest = false } = query;
    const rows = await this.#database.rows(
      listSql(isLatest ? 'DESC' : 'ASC'),
      after,
      isAllowed === undefined ? null : Number(isAllowed),
      callerId ?? null,
      Number(tenant === undefined),
      tenant ?? null,
      limit,
    );
    const entries = rows.map(entryOf);
    return isLatest ? entries.toReversed() : entries;
  }

  async marks(): Promise<AuditMarks> {
    const noted = readHead(this.#headFile);
    const rows = await this.#database.rows(marksSql);
    const markNamed = (wanted: string): AuditMark | undefined =>
      markOf(rows.find(({ name }) => name === wanted));
    return { start: markNamed('start'), head: markNamed('head'), noted };
  }

  async page(after: number, limit: number): Promise<readonly AuditEntry[]> {
    return (await this.#database.rows(pageSql, after, limit)).map(entryOf);
  }

  /** After the commit, so that it never names an entry that a crash took. Unwritable: only less is noticed. */
  #note(head: AuditMark | undefined): void {
    if (!head || (readHead(this.#headFile)?.number ?? 0) > head.number) return;
    try {
      // Written over, not cut first: file systems write a file that was cut to the disk when it is closed, and wait.
      const file = openSync(this.#headFile, constants.O_WRONLY | constants.O_CREAT, 0o600);
      writeSync(file, `${JSON.stringify(head).padEnd(headLength)}\n`, 0);
      closeSync(file);
    } catch {}
  }
}

/** The mark counts, not the rows: entries that were removed from the end leave a gap. */
function* lastEntry(): SqlWork<AuditMark | undefined> {
  return markOf((yield* one(markSql, 'head')) ?? (yield* one(lastSql)));
}

function* insert(entries: readonly AuditEntry[]): SqlWork<AuditMark | undefined> {
  for (let n = 0; n < entries.length;) {
    const isMany = entries.length - n >= insertedAtOnce;
    const part = entries.slice(n, n + (isMany ? insertedAtOnce : 1));
    yield* all(isMany ? insertManySql : insertOneSql, ...part.flatMap(cellsOf));
    n += part.length;
  }
  const last = entries.at(-1);
  if (!last) return undefined;
  const { number, digest } = last;
  yield* all(setMarkSql, 'head', number, digest);
  return { number, digest };
}

function cellsOf(entry: AuditEntry): readonly SqlValue[] {
  return [
    entry.number,
    entry.at,
    entry.callerId,
    entry.tenant,
    entry.credential,
    entry.action,
    entry.target,
    Number(entry.isAllowed),
    entry.rule,
    entry.face,
    entry.argumentsDigest,
    entry.address,
    entry.traceId,
    entry.previousDigest,
    entry.digest,
  ];
}

function markOf(row: SqlRow | undefined): AuditMark | undefined {
  return row && { number: Number(row['number']), digest: String(row['digest']) };
}

/** Values are taken as found: the digest decides whether they are what was written. */
function entryOf(row: SqlRow): AuditEntry {
  const isAllowed = row['is_allowed'];
  const entry: Record<keyof AuditEntry, unknown> = {
    number: row['number'],
    at: row['at'],
    callerId: row['caller_id'],
    tenant: row['tenant'],
    credential: row['credential'],
    action: row['action'],
    target: row['target'],
    isAllowed: isAllowed === 0 || isAllowed === 1 ? isAllowed === 1 : isAllowed,
    rule: row['rule'],
    face: row['face'],
    argumentsDigest: row['arguments_digest'],
    address: row['address'],
    traceId: row['trace_id'],
    previousDigest: row['previous_digest'],
    digest: row['digest'],
  };
  // A STRICT table has these types; where the file was changed, verification finds it.
  return entry as unknown as AuditEntry;
}

/** Undefined for what was not written whole: the next batch replaces it. */
function readHead(file: string): AuditMark | undefined {
  try {
    const { number, digest }: SqlRow = Object(JSON.parse(readFileSync(file, 'utf8')));
    return typeof number === 'number' && typeof digest === 'string'
      ? { number, digest }
      : undefined;
  } catch {
    return undefined;
  }
}
