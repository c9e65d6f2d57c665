import { describe } from 'vitest';
import { systemClock } from '../../kernel/index.ts';
import { testContextStore } from '../../memory/contexts/context-store.suite.ts';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { SqlContextStore } from './sql-context-store.ts';

describe.each(sqlWorlds)('contexts in %s', (_name, aWorld) => {
  testContextStore(() => new SqlContextStore(aWorld()().sql, { clock: systemClock }));
});
