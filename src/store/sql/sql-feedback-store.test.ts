import { describe } from 'vitest';
import { testFeedbackStore } from '../../memory/feedback/feedback-store.suite.ts';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { SqlFeedbackStore } from './sql-feedback-store.ts';

describe.each(sqlWorlds)('feedback in %s', (_name, aWorld) => {
  testFeedbackStore(() => new SqlFeedbackStore(aWorld()().sql));
});
