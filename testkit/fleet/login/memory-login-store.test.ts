import { describe } from 'vitest';
import { testLoginStore } from '../../../src/fleet/login/login-store.suite.ts';
import { createMemoryLoginStore } from './memory-login-store.ts';

describe('logins in memory', () => {
  testLoginStore(createMemoryLoginStore);
});
