import { describe } from 'vitest';
import { testExperienceStore } from '../../memory/experience/experience-store.suite.ts';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { SqlExperienceStore } from './sql-experience-store.ts';

describe.each(sqlWorlds)('experience in %s', (_name, aWorld) => {
  testExperienceStore(() => new SqlExperienceStore(aWorld()().sql));
});
