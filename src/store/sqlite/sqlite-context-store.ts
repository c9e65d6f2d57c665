import type { ContextVersion } from '../../contract/context/index.ts';
import type {
  AddedContext,
  AddResult,
  ContextLimits,
  ContextReference,
  ContextShare,
  ContextStore,
} from '../../memory/index.ts';
import type { SqliteDatabase, Statements } from './sqlite-database.ts';
import { whileStoreBusy } from './write-group.ts';

const columns =
  'owner_id, context_id, name, number, parent_id, item_count, bytes, tokens, created_at_ms';

/** What a caller owns or is shared with it; a shared name has all of its versions. */
const visible = `
  (owner_id = ?1 OR EXISTS (SELECT 1 FROM context_shares AS shares WHERE shares.shared_with = ?1
    AND shares.owner_id = contexts.owner_id AND shares.name = contexts.name))`;

/** `h` sorts behind every hexadecimal digit. */
const findByIdSql = `
  SELECT ${columns} FROM contexts WHERE context_id >= ?2 AND context_id < ?2 || 'h' AND ${visible}
  ORDER BY owner_id = ?1 DESC, id LIMIT ?3`;

const findNumberSql = `
  SELECT ${columns} FROM contexts WHERE name = ?2 AND number = ?3 AND ${visible}
  ORDER BY owner_id = ?1 DESC, id LIMIT ?4`;

const isLatest = `
  NOT EXISTS (SELECT 1 FROM contexts AS later WHERE later.owner_id = contexts.owner_id
    AND later.name = contexts.name AND later.number > contexts.number)`;

const findLatestSql = `
  SELECT ${columns} FROM contexts WHERE name = ?2 AND ${isLatest} AND ${visible}
  ORDER BY owner_id = ?1 DESC, id LIMIT ?3`;

const latestSql = `
  SELECT ${columns} FROM contexts WHERE ${isLatest} AND ${visible} ORDER BY id DESC LIMIT ?2`;

/** A version cannot be its own ancestor: its id depends on that of its parent. */
const chainSql = `
  WITH RECURSIVE chain (context_id, depth) AS (
    SELECT ?2, 0
    UNION ALL
    SELECT contexts.parent_id, chain.depth + 1 FROM chain JOIN contexts
      ON contexts.owner_id = ?1 AND contexts.context_id = chain.context_id
      WHERE contexts.parent_id IS NOT NULL)
  SELECT ${columns} FROM chain JOIN contexts USING (context_id) WHERE owner_id = ?1 ORDER BY depth`;

const textSql = 'SELECT text FROM contexts WHERE owner_id = ? AND context_id = ?';

const sizeSql =
  'SELECT COUNT(*) AS versions, TOTAL(bytes) AS bytes FROM contexts WHERE owner_id = ?';

const insertSql = `
  INSERT INTO contexts (owner_id, context_id, name, number, parent_id, item_count, bytes, tokens, created_at_ms, text)
  VALUES (?1, ?2, ?3, (SELECT IFNULL(MAX(number), 0) + 1 FROM contexts WHERE owner_id = ?1 AND name = ?3),
          ?4, ?5, ?6, ?7, ?8, ?9)
  ON CONFLICT (owner_id, context_id) DO NOTHING`;

const removeOneSql = 'DELETE FROM contexts WHERE owner_id = ? AND context_id = ?';
const removeNameSql = 'DELETE FROM contexts WHERE owner_id = ? AND name = ?';
const removeSharesSql = 'DELETE FROM context_shares WHERE owner_id = ? AND name = ?';

const shareSql = `
  INSERT INTO context_shares (shared_with, owner_id, name, shared_at_ms) VALUES (?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;
const unshareSql = 'DELETE FROM context_shares WHERE shared_with = ? AND owner_id = ? AND name = ?';
const sharesSql =
  'SELECT shared_with FROM context_shares WHERE owner_id = ? AND name = ? ORDER BY shared_with';

/** Waiting blocks the event loop: only shortly per attempt. */
const terms = { durability: 'full', busyTimeoutMs: 250 } as const;

/** Keeps contexts in SQLite. */
export class SqliteContextStore implements ContextStore {
  readonly #database: SqliteDatabase;
  readonly #patienceMs: number;

  constructor(database: SqliteDatabase, { patienceMs }: { readonly patienceMs: number }) {
    this.#database = database;
    this.#patienceMs = patienceMs;
  }

  async add(versions: readonly AddedContext[], limits: ContextLimits): Promise<AddResult> {
    try {
      const count = await this.#write((statements) => addAll(statements, versions, limits));
      return { kind: 'added', count };
    } catch (error) {
      if (error instanceof FullError) return { kind: 'full', what: error.what };
      throw error;
    }
  }

  async find(callerId: string, reference: ContextReference, limit: number) {
    return this.#read((statements) => {
      if ('idPrefix' in reference) {
        return statements(findByIdSql).all(callerId, reference.idPrefix, limit);
      }
      const { name, number } = reference;
      return number === undefined
        ? statements(findLatestSql).all(callerId, name, limit)
        : statements(findNumberSql).all(callerId, name, number, limit);
    });
  }

  async latest(callerId: string, limit: number) {
    return this.#read((statements) => statements(latestSql).all(callerId, limit));
  }

  async chain({ owner, id }: Pick<ContextVersion, 'owner' | 'id'>) {
    return this.#read((statements) => statements(chainSql).all(owner, id));
  }

  async text({ owner, id }: Pick<ContextVersion, 'owner' | 'id'>): Promise<string | undefined> {
    const row = this.#database.readOne((statements) => statements(textSql).get(owner, id));
    return row && String(row['text']);
  }

  share({ owner, name, sharedWith }: ContextShare, maxShares: number): Promise<boolean> {
    return this.#write((statements) => {
      const known = statements(sharesSql).all(owner, name);
      if (known.some((row) => row['shared_with'] === sharedWith)) return true;
      if (known.length >= maxShares) return false;
      statements(shareSql).run(sharedWith, owner, name, this.#database.options.clock.now());
      return true;
    });
  }

  async unshare({ owner, name, sharedWith }: ContextShare): Promise<void> {
    await this.#write((statements) => statements(unshareSql).run(sharedWith, owner, name));
  }

  async shares(owner: string, name: string): Promise<readonly string[]> {
    const rows = this.#database.readOne((statements) => statements(sharesSql).all(owner, name));
    return rows.map((row) => String(row['shared_with']));
  }

  remove(owner: string, which: { readonly id: string } | { readonly name: string }) {
    return this.#write((statements) => {
      if ('id' in which) return Number(statements(removeOneSql).run(owner, which.id).changes);
      statements(removeSharesSql).run(owner, which.name);
      return Number(statements(removeNameSql).run(owner, which.name).changes);
    });
  }

  async #read(
    work: (statements: Statements) => readonly Readonly<Record<string, unknown>>[],
  ): Promise<readonly ContextVersion[]> {
    // A read must not create the database.
    if (!this.#database.exists) return [];
    return this.#database.readOne(work).map(readRow);
  }

  #write<Result>(work: (statements: Statements) => Result): Promise<Result> {
    return whileStoreBusy(this.#patienceMs, () => this.#database.write(terms, work));
  }
}

/** Rolls back what was added so far. */
class FullError extends Error {
  readonly what: 'versions' | 'bytes';

  constructor(what: 'versions' | 'bytes') {
    super(what);
    this.what = what;
  }
}

function addAll(
  statements: Statements,
  versions: readonly AddedContext[],
  { maxVersions, maxBytes }: ContextLimits,
): number {
  const before = statements(sizeSql).get(versions[0]?.owner ?? '') ?? {};
  const added = versions.filter((version) => insert(statements, version) > 0);
  const bytes = added.reduce((sum, version) => sum + version.bytes, Number(before['bytes']));
  if (Number(before['versions']) + added.length > maxVersions) throw new FullError('versions');
  if (bytes > maxBytes) throw new FullError('bytes');
  return added.length;
}

function insert(statements: Statements, version: AddedContext): number {
  const { owner, id, name, parent, items, bytes, tokens, createdAt, text } = version;
  const values = [owner, id, name, parent, items, bytes, tokens, Date.parse(createdAt), text];
  return Number(statements(insertSql).run(...values).changes);
}

function readRow(row: Readonly<Record<string, unknown>>): ContextVersion {
  const parent = row['parent_id'];
  return {
    id: String(row['context_id']),
    name: String(row['name']),
    number: Number(row['number']),
    parent: typeof parent === 'string' ? parent : null,
    owner: String(row['owner_id']),
    createdAt: new Date(Number(row['created_at_ms'])).toISOString(),
    items: Number(row['item_count']),
    bytes: Number(row['bytes']),
    tokens: Number(row['tokens']),
  };
}
