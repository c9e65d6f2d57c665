import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../kernel/index.ts';
import { MoveRefusedError } from '../errors.ts';
import { migrations as postgresMigrations } from '../postgres/migrate.ts';
import { PostgresDatabase, type Statements } from '../postgres/postgres-database.ts';
import { migrations } from '../sqlite/migrate.ts';
import { openDatabase } from '../sqlite/open-database.ts';
import { moveTables, type TableCount } from './move-tables.ts';
import { PostgresSide } from './postgres-side.ts';
import { SqliteSide } from './sqlite-side.ts';

export interface MoveRequest {
  /** The data directory, whose database is the one side. */
  readonly home: string;
  /** The PostgreSQL database that is the other side. */
  readonly databaseUrl: string | undefined;
  readonly to: 'server' | 'file';
}

export interface MoveReport {
  readonly from: string;
  readonly to: string;
  readonly tables: readonly TableCount[];
}

const databaseName = 'tutti.db';
const busyTimeoutMs = 10_000;

/**
 * Copies a store from a file to a server or back, and leaves the source as it is. All or nothing: what was copied
 * is compared with the source before it is kept, and no other process writes to either side meanwhile.
 */
export async function moveStore({ home, databaseUrl, to }: MoveRequest): Promise<MoveReport> {
  const path = join(home, databaseName);
  if (databaseUrl === undefined) {
    throw new MoveRefusedError('the server', 'database_url (MCP_DATABASE_URL) is not set');
  }
  if (to === 'server' && !existsSync(path))
    throw new MoveRefusedError(path, 'there is no database');
  const server = new PostgresDatabase({
    url: databaseUrl,
    isReadonly: false,
    migrations: postgresMigrations,
    clock: systemClock,
  });
  try {
    return await server.transaction((statements) => move(statements, { path, server, to }));
  } finally {
    await server.close();
  }
}

async function move(
  statements: Statements,
  {
    path,
    server,
    to,
  }: Pick<MoveRequest, 'to'> & { readonly path: string; readonly server: PostgresDatabase },
): Promise<MoveReport> {
  const options = { path, isReadonly: false, migrations, clock: systemClock, busyTimeoutMs };
  const database = openDatabase(options);
  try {
    database.exec('BEGIN IMMEDIATE');
    const file = new SqliteSide(database, path);
    const remote = new PostgresSide(statements, server.path);
    await remote.open();
    const [source, target] = to === 'server' ? [file, remote] : [remote, file];
    const tables = await moveTables(source, target, file);
    await remote.close();
    // The copy in the file is kept before the server is released: it cannot change in between.
    database.exec(to === 'file' ? 'COMMIT' : 'ROLLBACK');
    return { from: source.path, to: target.path, tables };
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
    database.close();
  }
}
