import { describe } from 'vitest';
import { testModelIndex } from '../../artifacts/models/model-index.suite.ts';
import { aStore } from '../../../testkit/store/a-store.ts';

describe('the index of models in SQLite', () => {
  testModelIndex(() => aStore().modelIndex);
});
