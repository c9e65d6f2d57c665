import type { ContextVersion } from '../../contract/context/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type {
  AddedContext,
  AddResult,
  ContextLimits,
  ContextReference,
  ContextShare,
  ContextStore,
} from '../../memory/index.ts';
import {
  all,
  one,
  type SqlDatabase,
  type SqlRow,
  type SqlValue,
  type SqlWork,
} from './sql-database.ts';

const columns =
  'owner_id, context_id, name, number, parent_id, item_count, bytes, tokens, created_at_ms';

/** What a caller owns or is shared with it; a shared name has all of its versions. */
const visible = `
  (owner_id = $1 OR EXISTS (SELECT 1 FROM context_shares AS shares WHERE shares.shared_with = $1
    AND shares.owner_id = contexts.owner_id AND shares.name = contexts.name))`;

/** `h` sorts behind every hexadecimal digit. */
const findByIdSql = `
  SELECT ${columns} FROM contexts WHERE context_id >= $2 AND context_id < $2 || 'h' AND ${visible}
  ORDER BY owner_id = $1 DESC, id LIMIT $3`;

const findNumberSql = `
  SELECT ${columns} FROM contexts WHERE name = $2 AND number = $3 AND ${visible}
  ORDER BY owner_id = $1 DESC, id LIMIT $4`;

const isLatest = `
  NOT EXISTS (SELECT 1 FROM contexts AS later WHERE later.owner_id = contexts.owner_id
    AND later.name = contexts.name AND later.number > contexts.number)`;

const findLatestSql = `
  SELECT ${columns} FROM contexts WHERE name = $2 AND ${isLatest} AND ${visible}
  ORDER BY owner_id = $1 DESC, id LIMIT $3`;

const latestSql = `
  SELECT ${columns} FROM contexts WHERE ${isLatest} AND ${visible} ORDER BY id DESC LIMIT $2`;

/** A version cannot be its own ancestor: its id depends on that of its parent. */
const chainSql = `
  WITH RECURSIVE chain (context_id, parent_id, depth) AS (
    SELECT context_id, parent_id, 0 FROM contexts WHERE owner_id = $1 AND context_id = $2
    UNION ALL
    SELECT contexts.context_id, contexts.parent_id, chain.depth + 1 FROM chain JOIN contexts
      ON contexts.owner_id = $1 AND contexts.context_id = chain.parent_id)
  SELECT ${columns} FROM contexts JOIN (SELECT context_id AS id_in_chain, depth FROM chain) AS chain
    ON id_in_chain = context_id WHERE owner_id = $1 ORDER BY depth`;

const textSql = 'SELECT text FROM contexts WHERE owner_id = $1 AND context_id = $2';

const sizeSql =
  'SELECT COUNT(*) AS versions, COALESCE(SUM(bytes), 0) AS bytes FROM contexts WHERE owner_id = $1';

const insertSql = `
  INSERT INTO contexts (owner_id, context_id, name, number, parent_id, item_count, bytes, tokens, created_at_ms, text)
  VALUES ($1, $2, $3, (SELECT COALESCE(MAX(number), 0) + 1 FROM contexts WHERE owner_id = $1 AND name = $3),
          $4, $5, $6, $7, $8, $9)
  ON CONFLICT (owner_id, context_id) DO NOTHING RETURNING number`;

const removeOneSql = 'DELETE FROM contexts WHERE owner_id = $1 AND context_id = $2 RETURNING id';
const removeNameSql = 'DELETE FROM contexts WHERE owner_id = $1 AND name = $2 RETURNING id';
const removeSharesSql = 'DELETE FROM context_shares WHERE owner_id = $1 AND name = $2';

const shareSql = `
  INSERT INTO context_shares (shared_with, owner_id, name, shared_at_ms) VALUES ($1, $2, $3, $4)
  ON CONFLICT DO NOTHING`;
const unshareSql =
  'DELETE FROM context_shares WHERE shared_with = $1 AND owner_id = $2 AND name = $3';
const sharesSql =
  'SELECT shared_with FROM context_shares WHERE owner_id = $1 AND name = $2 ORDER BY shared_with';

/** Keeps contexts. */
export class SqlContextStore implements ContextStore {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;

  constructor(database: SqlDatabase, { clock }: { readonly clock: Clock }) {
    this.#database = database;
    this.#clock = clock;
  }

  async add(versions: readonly AddedContext[], limits: ContextLimits): Promise<AddResult> {
    try {
      const count = await this.#write(versions[0]?.owner ?? '', () => addAll(versions, limits));
      return { kind: 'added', count };
    } catch (error) {
      if (error instanceof FullError) return { kind: 'full', what: error.what };
      throw error;
    }
  }

  async find(callerId: string, reference: ContextReference, limit: number) {
    if ('idPrefix' in reference) {
      return this.#read(findByIdSql, callerId, reference.idPrefix, limit);
    }
    const { name, number } = reference;
    return number === undefined
      ? this.#read(findLatestSql, callerId, name, limit)
      : this.#read(findNumberSql, callerId, name, number, limit);
  }

  async latest(callerId: string, limit: number) {
    return this.#read(latestSql, callerId, limit);
  }

  async chain({ owner, id }: Pick<ContextVersion, 'owner' | 'id'>) {
    return this.#read(chainSql, owner, id);
  }

  async text({ owner, id }: Pick<ContextVersion, 'owner' | 'id'>): Promise<string | undefined> {
    const [row] = await this.#database.rows(textSql, owner, id);
    return row && String(row['text']);
  }

  share({ owner, name, sharedWith }: ContextShare, maxShares: number): Promise<boolean> {
    const nowMs = this.#clock.now();
    return this.#write(owner, function* () {
      const known = yield* all(sharesSql, owner, name);
      if (known.some((row) => row['shared_with'] === sharedWith)) return true;
      if (known.length >= maxShares) return false;
      yield* all(shareSql, sharedWith, owner, name, nowMs);
      return true;
    });
  }

  async unshare({ owner, name, sharedWith }: ContextShare): Promise<void> {
    await this.#write(owner, () => all(unshareSql, sharedWith, owner, name));
  }

  async shares(owner: string, name: string): Promise<readonly string[]> {
    const rows = await this.#database.rows(sharesSql, owner, name);
    return rows.map((row) => String(row['shared_with']));
  }

  remove(owner: string, which: { readonly id: string } | { readonly name: string }) {
    return this.#write(owner, function* () {
      if ('id' in which) return (yield* all(removeOneSql, owner, which.id)).length;
      yield* all(removeSharesSql, owner, which.name);
      return (yield* all(removeNameSql, owner, which.name)).length;
    });
  }

  async #read(sql: string, ...values: readonly SqlValue[]): Promise<readonly ContextVersion[]> {
    return (await this.#database.rows(sql, ...values)).map(readRow);
  }

  #write<Result>(owner: string, work: () => SqlWork<Result>): Promise<Result> {
    return this.#database.write({ locks: [`contexts ${owner}`], durability: 'full' }, work);
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

function* addAll(
  versions: readonly AddedContext[],
  { maxVersions, maxBytes }: ContextLimits,
): SqlWork<number> {
  const before = yield* one(sizeSql, versions[0]?.owner ?? '');
  let count = 0;
  let bytes = Number(before?.['bytes']);
  for (const version of versions) {
    const { owner, id, name, parent, items, tokens, createdAt, text } = version;
    const values = [parent, items, version.bytes, tokens, Date.parse(createdAt), text] as const;
    const added = yield* all(insertSql, owner, id, name, ...values);
    count += added.length;
    bytes += added.length * version.bytes;
  }
  if (Number(before?.['versions']) + count > maxVersions) throw new FullError('versions');
  if (bytes > maxBytes) throw new FullError('bytes');
  return count;
}

function readRow(row: SqlRow): ContextVersion {
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
