import { describe } from 'vitest';
import { testTraceStore } from '../../src/observe/trace-store.suite.ts';
import { MemoryTraceStore } from './memory-trace-store.ts';

describe('the trace store in memory', () => {
  testTraceStore(() => new MemoryTraceStore());
});
