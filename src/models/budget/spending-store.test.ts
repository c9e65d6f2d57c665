import { describe } from 'vitest';
import { MemorySpendingStore } from './spending-store.ts';
import { testSpendingStore } from './spending-store.suite.ts';

describe('spending in memory', () => {
  testSpendingStore(() => new MemorySpendingStore());
});
