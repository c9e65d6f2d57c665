import { describe } from 'vitest';
import { createMemoryChoiceLog } from '../../../testkit/agents/memory-choice-log.ts';
import { testChoiceLog } from './choice-log.suite.ts';

describe('the log of choices in memory', () => {
  testChoiceLog(() => createMemoryChoiceLog({ maxEntries: 3 }));
});
