import { describe } from 'vitest';
import { aPostgresDatabase, postgresSkipReason } from '../../../testkit/store/a-postgres.ts';
import { testStepCache } from '../../workflow/effects/step-cache.suite.ts';
import { PostgresStepCache } from './postgres-step-cache.ts';

const why = postgresSkipReason === null ? '' : ` (skipped: ${postgresSkipReason})`;

describe.skipIf(postgresSkipReason !== null)(`the cache of results in PostgreSQL${why}`, () => {
  testStepCache(async () => new PostgresStepCache(await aPostgresDatabase()));
});
