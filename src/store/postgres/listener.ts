import type { Notification } from 'pg';
import { clientConfig } from './client-config.ts';
import type { PostgresOptions } from './postgres-database.ts';

export interface ListenerParts {
  readonly onNotice: (notice: Notification) => void;
  /** The connection is gone: later notices are not received. */
  readonly onLost: () => void;
}

export interface PostgresListener {
  /** Settles when all earlier notices were received. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** `channel`: a name that is written in the program. */
export async function openListener(
  options: PostgresOptions,
  channel: string,
  { onNotice, onLost }: ListenerParts,
): Promise<PostgresListener> {
  const { Client, types } = await import('pg');
  const client = new Client(clientConfig(options, types));
  let isClosing = false;
  client.on('notification', onNotice);
  client.on('error', () => undefined);
  client.on('end', () => {
    if (!isClosing) onLost();
  });
  const close = async (): Promise<void> => {
    isClosing = true;
    await client.end().catch(() => undefined);
  };
  try {
    await client.connect();
    await client.query(`LISTEN ${channel}`);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ping: async () => void (await client.query('SELECT 1')),
    close,
  };
}
