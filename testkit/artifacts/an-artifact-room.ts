import { join } from 'node:path';
import type { Artifacts, NewLineage } from '../../src/contract/artifact/index.ts';
import { silentLog, type Clock } from '../../src/kernel/index.ts';
import { aDirectory } from '../observe/a-directory.ts';
import { aStore } from '../store/a-store.ts';
import { openArtifacts, type ArtifactsOptions } from '../../src/artifacts/open-artifacts.ts';

/** The digest of `hello`, as everybody computes it. */
export const helloId = 'sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
export const helloFile = join(
  '2c',
  'f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
);

export interface Setup {
  readonly artifacts: Artifacts;
  readonly directory: string;
  readonly clock: { nowMs: number } & Clock;
}

export function aSetup(options: Partial<ArtifactsOptions> = {}): Setup {
  const directory = options.directory ?? join(aDirectory(), 'artifacts');
  const clock = { nowMs: Date.now(), now: () => clock.nowMs };
  const index = options.index ?? aStore().artifactIndex;
  const artifacts = openArtifacts({ directory, index, clock, log: silentLog, ...options });
  return { artifacts, directory, clock };
}

export function lineage(parts: Partial<NewLineage> = {}): NewLineage {
  return { runId: 'r1', step: 'build', tool: null, argumentsDigest: null, inputs: [], ...parts };
}

export function aText(content: string | Uint8Array, parts: Partial<NewLineage> = {}) {
  return { content, mediaType: 'text/plain', lineage: lineage(parts) };
}
