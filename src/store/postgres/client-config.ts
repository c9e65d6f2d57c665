import type { ClientConfig, types as PgTypes } from 'pg';
import type { PostgresOptions } from './postgres-database.ts';

const connectLimitMs = 5_000;
const statementLimitMs = 30_000;
const lockLimitMs = 10_000;
/** A process that stands still in a transaction makes others wait for its locks. */
const idleInTransactionLimitMs = 10_000;

/** What all our connections have in common: limits, and how columns come out. */
export function clientConfig(
  { url, isReadonly }: Pick<PostgresOptions, 'url' | 'isReadonly'>,
  types: typeof PgTypes,
): ClientConfig {
  const { INT8, NUMERIC, JSON: json, JSONB } = types.builtins;
  const parsers = new Map<number, (text: string) => unknown>([
    [INT8, safeNumber],
    [NUMERIC, safeNumber],
    [json, asText],
    [JSONB, asText],
  ]);
  return {
    connectionString: url,
    application_name: 'tutti',
    connectionTimeoutMillis: connectLimitMs,
    statement_timeout: statementLimitMs,
    lock_timeout: lockLimitMs,
    idle_in_transaction_session_timeout: idleInTransactionLimitMs,
    keepAlive: true,
    ...(isReadonly && { options: '-c default_transaction_read_only=on' }),
    types: { getTypeParser: (id, format) => parsers.get(id) ?? types.getTypeParser(id, format) },
  };
}

const asText = (text: string): string => text;

function safeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new Error(`The number ${text} is too big to be exact`);
  }
  return value;
}
