import { describe } from 'vitest';
import { testRunStore } from '../../src/workflow/engine/run-store.suite.ts';
import { MemoryRuns, MemoryRunStore } from './memory-run-store.ts';

describe('the run store in memory', () => {
  testRunStore((parts) => {
    const shared = new MemoryRuns();
    return [new MemoryRunStore(parts, shared), new MemoryRunStore(parts, shared)];
  });
});
