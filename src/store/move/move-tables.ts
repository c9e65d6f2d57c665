import { createHash } from 'node:crypto';
import { MoveFailedError, MoveRefusedError } from '../errors.ts';

export type Cell = string | number | boolean | null | Uint8Array;
export type CellRow = readonly Cell[];

export interface MovedTable {
  readonly name: string;
  /** Columns that order its rows, which no two have in common. */
  readonly key: readonly string[];
}

/** In this order no row refers to one that is not there yet. Indexes and what is derived from rows are made anew. */
export const movedTables: readonly MovedTable[] = [
  { name: 'runs', key: ['run_key'] },
  { name: 'run_contents', key: ['run_key'] },
  { name: 'run_journal', key: ['run_key', 'first'] },
  { name: 'run_signals', key: ['run_id', 'name'] },
  { name: 'effects', key: ['run_id', 'step'] },
  { name: 'approvals', key: ['approval_id'] },
  { name: 'step_cache', key: ['caller_id', 'tool', 'arguments_digest'] },
  { name: 'artifact_makers', key: ['id'] },
  { name: 'span_batches', key: ['id'] },
  { name: 'sessions', key: ['id'] },
  { name: 'session_turns', key: ['session_id', 'number'] },
  { name: 'session_tasks', key: ['session_id'] },
  { name: 'preferences', key: ['id'] },
  { name: 'spending', key: ['caller_id', 'scope'] },
  { name: 'api_keys', key: ['key_id'] },
  { name: 'api_key_secrets', key: ['digest'] },
  { name: 'disabled_tenants', key: ['tenant'] },
  { name: 'access_revision', key: ['id'] },
  { name: 'run_grants', key: ['run_id'] },
  { name: 'audit_entries', key: ['number'] },
  { name: 'audit_marks', key: ['name'] },
  { name: 'logins', key: ['caller_id', 'server'] },
  { name: 'login_locks', key: ['caller_id', 'server'] },
  { name: 'login_clients', key: ['issuer', 'redirect_uri'] },
  { name: 'api_answers', key: ['id'] },
  { name: 'contexts', key: ['id'] },
  { name: 'context_shares', key: ['shared_with', 'owner_id', 'name'] },
  { name: 'feedback', key: ['id'] },
  { name: 'failures', key: ['id'] },
  { name: 'learned_fixes', key: ['caller_id', 'fix_id'] },
  { name: 'approved_fixes', key: ['caller_id', 'fix_id'] },
  { name: 'fix_uses', key: ['id'] },
  { name: 'agent_choices', key: ['id'] },
  { name: 'delegations', key: ['caller_id', 'key', 'attempt'] },
  { name: 'disabled_agents', key: ['caller_id', 'agent'] },
  { name: 'agent_usage', key: ['caller_id', 'task'] },
  { name: 'model_versions', key: ['sequence'] },
  { name: 'model_alias_moves', key: ['id'] },
  { name: 'memory_items', key: ['item_key'] },
  { name: 'memory_vectors', key: ['item_key'] },
  { name: 'memory_pending_vectors', key: ['item_key'] },
  { name: 'memory_pending_sessions', key: ['session_id'] },
];

/** Not moved: where a new database has a row of its own, and what tells other processes what to read again. */
export const ownTables: readonly string[] = [
  'schema_migrations',
  'memory_changes',
  'memory_change_counts',
  // Of processes that serve from the database that is left.
  'instances',
  'client_session_facts',
];

/** One of the two databases, inside a transaction beside which no other process writes. */
export interface MoveSide {
  readonly path: string;
  /** The columns that both databases have, in an order of their own. */
  columns(table: MovedTable): Promise<readonly string[]>;
  isEmpty(table: MovedTable): Promise<boolean>;
  /** How many runs a process executes. */
  countLeases(): Promise<number>;
  clear(table: MovedTable): Promise<void>;
  /** All rows in the order of their keys, text as bytes; some at a time. */
  read(table: MovedTable, columns: readonly string[]): AsyncIterable<readonly CellRow[]>;
  insert(table: MovedTable, columns: readonly string[], rows: readonly CellRow[]): Promise<void>;
}

export interface TableCount {
  readonly table: string;
  readonly rows: number;
}

interface Fingerprint {
  readonly rows: number;
  readonly digest: string;
}

/**
 * Copies every row, then reads the copy and compares each table by count and digest. Throws where they differ,
 * or where the target has data: the caller rolls back.
 */
export async function moveTables(
  from: MoveSide,
  to: MoveSide,
  file: MoveSide,
): Promise<readonly TableCount[]> {
  await assertUnused(from);
  await assertEmpty(to);
  const counts: TableCount[] = [];
  for (const table of movedTables) {
    // PostgreSQL has further columns, which it fills itself.
    const columns = await file.columns(table);
    await to.clear(table);
    const source = await fingerprint(from.read(table, columns), (rows) =>
      to.insert(table, columns, rows),
    );
    const copy = await fingerprint(to.read(table, columns));
    if (source.rows !== copy.rows || source.digest !== copy.digest) {
      const what = `table ${table.name} has ${source.rows} rows, and its copy ${copy.rows}`;
      throw new MoveFailedError(from.path, to.path, what);
    }
    counts.push({ table: table.name, rows: source.rows });
  }
  return counts;
}

/** A process that executes a run would go on with it, and another one from the copy: twice the same effects. */
async function assertUnused(from: MoveSide): Promise<void> {
  if ((await from.countLeases()) === 0) return;
  throw new MoveRefusedError(from.path, 'runs are being executed in it: stop every Tutti first');
}

async function assertEmpty(to: MoveSide): Promise<void> {
  for (const table of movedTables) {
    if (table.name === 'access_revision' || (await to.isEmpty(table))) continue;
    throw new MoveRefusedError(to.path, `it has data already (table ${table.name})`);
  }
}

async function fingerprint(
  pages: AsyncIterable<readonly CellRow[]>,
  use?: (rows: readonly CellRow[]) => Promise<void>,
): Promise<Fingerprint> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const page of pages) {
    for (const row of page) hash.update(textOf(row));
    rows += page.length;
    await use?.(page);
  }
  return { rows, digest: hash.digest('hex') };
}

function textOf(row: CellRow): string {
  const cells = row.map((cell) =>
    cell instanceof Uint8Array ? Buffer.from(cell).toString('base64') : cell,
  );
  const text = JSON.stringify(cells);
  // PostgreSQL cannot keep U+0000 and has U+FFFD in its place.
  return `${text.replaceAll('\\u0000', '\uFFFD')}\n`;
}
