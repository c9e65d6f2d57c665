import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { systemClock } from '../../src/kernel/index.ts';
import { startPostgresServer, withClient, type PostgresServer } from './postgres-server.ts';

/** In the folder for temporary files, which is of one run of the tests. */
const socketOf = (folder: string): string => join(folder, 'postgres.sock');

/**
 * Starts one PostgreSQL for all test files of a run when the first of them asks for it: in the process that
 * outlives them all. Files that need none do not pay for it.
 */
export function offerPostgres(folder: string): () => Promise<void> {
  let started: Promise<PostgresServer> | undefined;
  const listener = createServer((connection) => {
    started ??= startWithTemplate(folder);
    started.then(
      (it) => connection.end(it.url('postgres')),
      (error: unknown) => connection.destroy(error instanceof Error ? error : undefined),
    );
    connection.on('error', () => undefined);
  });
  listener.listen(socketOf(folder));
  listener.unref();
  return async () => {
    listener.close();
    await started?.then((it) => it.kill()).catch(() => undefined);
  };
}

/**
 * The address of a new database of the PostgreSQL of this run: without anything, or with the schema of this program
 * and no rows, which is copied and takes half of the time.
 */
export async function createSharedDatabase(
  content: 'nothing' | 'schema' = 'nothing',
): Promise<string> {
  const admin = await text(createConnection(socketOf(tmpdir())));
  const name = `t${process.pid}_${Date.now()}_${Math.floor(Math.random() * 1e6)}`;
  const source = content === 'schema' ? ` TEMPLATE ${template} STRATEGY FILE_COPY` : '';
  await withClient(admin, (client) => client.query(`CREATE DATABASE ${name}${source}`));
  return admin.replace('/postgres?', `/${name}?`);
}

const template = 'with_schema';

async function startWithTemplate(folder: string): Promise<PostgresServer> {
  const server = await startPostgresServer(folder);
  await withClient(server.url('postgres'), (client) => client.query(`CREATE DATABASE ${template}`));
  // Loaded here, because most runs of single test files need no database.
  const { PostgresDatabase } = await import('../../src/store/postgres/postgres-database.ts');
  const { migrations } = await import('../../src/store/postgres/migrate.ts');
  const database = new PostgresDatabase({
    url: server.url(template),
    isReadonly: false,
    migrations,
    clock: systemClock,
    patienceMs: 10_000,
    maxConnections: 1,
  });
  await database.query('SELECT 1');
  await database.close();
  return server;
}
