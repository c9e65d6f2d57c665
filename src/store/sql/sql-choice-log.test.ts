import { describe, expect, it } from 'vitest';
import { testChoiceLog } from '../../agents/choice/choice-log.suite.ts';
import { localCaller } from '../../contract/caller/index.ts';
import { aStore } from '../../../testkit/store/a-store.ts';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { SqlChoiceLog } from './sql-choice-log.ts';

describe.each(sqlWorlds)('the log of choices in %s', (_name, aWorld) => {
  testChoiceLog(() => new SqlChoiceLog(aWorld()().sql, { maxEntries: 3 }));
});

it('makes no SQLite database of looking', async () => {
  const store = aStore();
  expect(await store.choices.read(localCaller, { after: 0, limit: 1 })).toEqual([]);
  expect(store.exists()).toBe(false);
});
