import { describe } from 'vitest';
import { testPreferenceStore } from '../../src/memory/preference-store.suite.ts';
import { testSessionStore } from '../../src/memory/session-store.suite.ts';
import { MemoryPreferenceStore } from './memory-preference-store.ts';
import { MemorySessionStore } from './memory-session-store.ts';

describe('the sessions of tests', () => {
  testSessionStore((parts) => new MemorySessionStore(parts));
});

describe('the preferences of tests', () => {
  testPreferenceStore(() => new MemoryPreferenceStore());
});
