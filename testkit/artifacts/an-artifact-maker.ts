import type { Lineage } from '../../src/contract/artifact/index.ts';
import { localCaller } from '../../src/contract/caller/index.ts';
import type { ArtifactMaker } from '../../src/artifacts/open-artifacts.ts';

export function artifactId(n: number): string {
  return `sha256:${n.toString(16).padStart(64, '0')}`;
}

/** A maker of artifact number `n`; name only what of its lineage the test is about. */
export function anArtifactMaker(n: number, lineage: Partial<Lineage> = {}): ArtifactMaker {
  return {
    id: artifactId(n),
    callerId: localCaller.id,
    bytes: n,
    mediaType: 'text/plain',
    lineage: {
      runId: 'r1',
      step: 'build',
      tool: null,
      argumentsDigest: null,
      inputs: [],
      createdAt: '2026-01-01T00:00:00.000Z',
      ...lineage,
    },
  };
}
