import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testChoiceLog } from '../../agents/choice/choice-log.suite.ts';
import { localCaller } from '../../contract/caller/index.ts';
import { systemClock } from '../../kernel/index.ts';
import { aDirectory } from '../../../testkit/observe/a-directory.ts';
import { aStore } from '../../../testkit/store/a-store.ts';
import { migrations } from './migrate.ts';
import { SqliteChoiceLog } from './sqlite-choice-log.ts';
import { SqliteDatabase } from './sqlite-database.ts';

function aDatabase(): SqliteDatabase {
  const database = new SqliteDatabase({
    path: join(aDirectory(), 'tutti.db'),
    isReadonly: false,
    migrations,
    clock: systemClock,
    busyTimeoutMs: 1_000,
  });
  onTestFinished(() => database.close());
  return database;
}

describe('the log of choices in SQLite', () => {
  testChoiceLog(() => new SqliteChoiceLog(aDatabase(), { patienceMs: 1_000, maxEntries: 3 }));

  it('makes no database of looking', async () => {
    const store = aStore();
    expect(await store.choices.read(localCaller, { after: 0, limit: 1 })).toEqual([]);
    expect(store.exists()).toBe(false);
  });
});
