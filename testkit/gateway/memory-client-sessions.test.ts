import { describe } from 'vitest';
import { testClientSessionStore } from '../../src/contract/client-session/client-session-store.suite.ts';
import { MemoryClientSessions } from './memory-client-sessions.ts';

describe('client sessions in memory', () => {
  testClientSessionStore((now) => new MemoryClientSessions(now));
});
