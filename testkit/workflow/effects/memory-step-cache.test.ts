import { describe } from 'vitest';
import { testStepCache } from '../../../src/workflow/effects/step-cache.suite.ts';
import { MemoryStepCache } from './memory-step-cache.ts';

describe('the cache of results in memory', () => {
  testStepCache(() => new MemoryStepCache());
});
