import { describe } from 'vitest';
import { testModelIndex } from '../../artifacts/models/model-index.suite.ts';
import { sqlWorlds } from '../../../testkit/store/sql-worlds.ts';
import { SqlModelIndex } from './sql-model-index.ts';

describe.each(sqlWorlds)('the index of models in %s', (_name, aWorld) => {
  testModelIndex(() => new SqlModelIndex(aWorld()().sql));
});
