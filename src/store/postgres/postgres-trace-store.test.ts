import { describe } from 'vitest';
import { aPostgresDatabase, postgresSkipReason } from '../../../testkit/store/a-postgres.ts';
import { traceLimits } from '../../observe/index.ts';
import { testTraceStore } from '../../observe/trace-store.suite.ts';
import { PostgresTraceStore } from './postgres-trace-store.ts';

const why = postgresSkipReason === null ? '' : ` (skipped: ${postgresSkipReason})`;

describe.skipIf(postgresSkipReason !== null)(`the trace store in PostgreSQL${why}`, () => {
  testTraceStore(async () => new PostgresTraceStore(await aPostgresDatabase(), traceLimits));
});
