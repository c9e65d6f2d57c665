import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import type { AuditMark, AuditMarks, AuditQuery, AuditStore } from '../../access/index.ts';
import type { AuditEntry } from '../../contract/access/index.ts';
import { openDatabase, translateError } from './open-database.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';

const columns = `number, at, caller_id, tenant, credential, action, target, is_allowed, rule, face,
  arguments_digest, address, trace_id, previous_digest, digest`;

const insertSql = `INSERT INTO audit_entries (${columns})
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const markSql = 'SELECT number, digest FROM audit_marks WHERE name = ?';
const setMarkSql = `INSERT INTO audit_marks (name, number, digest) VALUES (?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET number = excluded.number, digest = excluded.digest`;
const lastSql = 'SELECT number, digest FROM audit_entries ORDER BY number DESC LIMIT 1';

/** Goes from the oldest: entries are in the order of their times, up to the clocks of the processes. */
const oldSql = `SELECT number, digest FROM
  (SELECT number, digest, at FROM audit_entries ORDER BY number LIMIT ?2)
  WHERE at < ?1 OR number <= ?3 ORDER BY number DESC LIMIT 1`;
const removeSql = 'DELETE FROM audit_entries WHERE number <= ?';

const listSql = (direction: 'ASC' | 'DESC'): string => `SELECT ${columns} FROM audit_entries
  WHERE number > ?1 AND (?2 IS NULL OR is_allowed = ?2) AND (?3 IS NULL OR caller_id = ?3)
    AND (?4 OR tenant IS ?5)
  ORDER BY number ${direction} LIMIT ?6`;
const scanSql = `SELECT ${columns} FROM audit_entries ORDER BY number`;

/** Waiting blocks the event loop; the entries stay queued and are written with the next batch. */
const terms = { durability: 'soon', busyTimeoutMs: 50 } as const;

/** Entries between two ticks of the event loop. */
const scannedAtOnce = 2_000;

/** The mark has always the same length: its number has at most 16 digits. */
const headLength = 110;

export function auditHeadFile(path: string): string {
  return `${path}-audit`;
}

/** Keeps the audit log in SQLite, and its last entry in a file beside it too: a database that lacks it was cut. */
export class SqliteAuditStore implements AuditStore {
  readonly #database: SqliteDatabase;
  readonly #headFile: string;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#headFile = auditHeadFile(database.options.path);
  }

  async append(
    chain: (last: AuditMark | undefined, noted: AuditMark | undefined) => readonly AuditEntry[],
  ): Promise<void> {
    const head = this.#database.write(terms, (statements) => {
      const last = lastEntry(statements);
      return insert(statements, chain(last, readHead(this.#headFile)));
    });
    this.#note(head);
  }

  async removeOld({
    before,
    maxEntries,
    maxCount,
    seal,
  }: Parameters<AuditStore['removeOld']>[0]): Promise<number> {
    const done = this.#database.write(terms, (statements) => {
      const last = lastEntry(statements);
      if (!last) return undefined;
      const removed = markOf(statements(oldSql).get(before, maxCount, last.number - maxEntries));
      if (!removed) return undefined;
      const head = insert(statements, [seal(last, removed)]);
      statements(setMarkSql).run('start', removed.number, removed.digest);
      const { changes } = statements(removeSql).run(removed.number);
      return { head, count: Number(changes) };
    });
    this.#note(done?.head);
    return done?.count ?? 0;
  }

  async list(query: AuditQuery): Promise<readonly AuditEntry[]> {
    // A read must not create the database.
    if (!this.#database.exists) return [];
    const { after = 0, limit, isAllowed, callerId, tenant, isLatest = false } = query;
    const rows = this.#database.readOne((statements) =>
      statements(listSql(isLatest ? 'DESC' : 'ASC')).all(
        after,
        isAllowed === undefined ? null : Number(isAllowed),
        callerId ?? null,
        Number(tenant === undefined),
        tenant ?? null,
        limit,
      ),
    );
    const entries = rows.map(entryOf);
    return isLatest ? entries.toReversed() : entries;
  }

  async marks(): Promise<AuditMarks> {
    const noted = readHead(this.#headFile);
    if (!this.#database.exists) return { start: undefined, head: undefined, noted };
    return this.#database.read((statements) => ({
      start: markOf(statements(markSql).get('start')),
      head: markOf(statements(markSql).get('head')),
      noted,
    }));
  }

  /** On a connection of its own: the caller may wait between two entries while others write. */
  async *scan(): AsyncIterable<readonly AuditEntry[]> {
    if (!this.#database.exists) return;
    const { options } = this.#database;
    const connection = openDatabase({ ...options, isReadonly: true });
    let entries: AuditEntry[] = [];
    try {
      for (const row of connection.prepare(scanSql).iterate()) {
        if (entries.push(entryOf(row)) < scannedAtOnce) continue;
        yield entries;
        entries = [];
      }
      yield entries;
    } catch (error) {
      // A damaged file: one of those before may be damaged, too.
      yield entries;
      throw translateError(error, options.path);
    } finally {
      connection.close();
    }
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
function lastEntry(statements: Statements): AuditMark | undefined {
  return markOf(statements(markSql).get('head')) ?? markOf(statements(lastSql).get());
}

function insert(statements: Statements, entries: readonly AuditEntry[]): AuditMark | undefined {
  for (const entry of entries) {
    statements(insertSql).run(
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
    );
  }
  const last = entries.at(-1);
  if (!last) return undefined;
  const { number, digest } = last;
  statements(setMarkSql).run('head', number, digest);
  return { number, digest };
}

type Row = Readonly<Record<string, unknown>>;

function markOf(row: Row | undefined): AuditMark | undefined {
  return row && { number: Number(row['number']), digest: String(row['digest']) };
}

/** Values are taken as found: the digest decides whether they are what was written. */
function entryOf(row: Row): AuditEntry {
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
    const { number, digest }: Row = Object(JSON.parse(readFileSync(file, 'utf8')));
    return typeof number === 'number' && typeof digest === 'string'
      ? { number, digest }
      : undefined;
  } catch {
    return undefined;
  }
}
