import { describe } from 'vitest';
import type { Json } from '../../../src/contract/plan/index.ts';
import { testEffectStore } from '../../../src/workflow/effects/effect-store.suite.ts';
import { MemoryEffectStore } from './memory-effect-store.ts';

describe('the effect store in memory', () => {
  testEffectStore(async () => {
    const signals: { name: string; payload: Json }[] = [];
    const store = new MemoryEffectStore((_runId, signal) => signals.push(signal));
    return { store, signals: async () => signals };
  });
});
