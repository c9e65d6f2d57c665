import { describe } from 'vitest';
import { testCopyStore } from '../../memory/items/copy-store.suite.ts';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { SqlContextStore } from './sql-context-store.ts';
import { SqlCopyStore } from './sql-copy-store.ts';
import { SqlExperienceStore } from './sql-experience-store.ts';
import { SqlFeedbackStore } from './sql-feedback-store.ts';
import { SqlPreferenceStore } from './sql-preference-store.ts';

describe.each(sqlWorlds)('copies of forgotten items in %s', (_name, aWorld) => {
  testCopyStore(() => {
    const { sql } = aWorld()();
    return {
      copies: new SqlCopyStore(sql),
      contexts: new SqlContextStore(sql, { clock: { now: () => 0 } }),
      experience: new SqlExperienceStore(sql),
      feedback: new SqlFeedbackStore(sql),
      preferences: new SqlPreferenceStore(sql),
    };
  });
});
