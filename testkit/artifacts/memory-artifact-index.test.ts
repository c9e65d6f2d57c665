import { describe } from 'vitest';
import { testArtifactIndex } from '../../src/artifacts/artifact-index.suite.ts';
import { MemoryArtifactIndex } from './memory-artifact-index.ts';

describe('the artifact index in memory', () => {
  testArtifactIndex(() => new MemoryArtifactIndex());
});
