import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
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
    started ??= startPostgresServer(folder);
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

/** The address of a new, empty database of the PostgreSQL of this run. */
export async function createSharedDatabase(): Promise<string> {
  const admin = await text(createConnection(socketOf(tmpdir())));
  const name = `t${process.pid}_${Date.now()}_${Math.floor(Math.random() * 1e6)}`;
  await withClient(admin, (client) => client.query(`CREATE DATABASE ${name}`));
  return admin.replace('/postgres?', `/${name}?`);
}
