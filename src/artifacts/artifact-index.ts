import type { ArtifactFilter, ArtifactRef, Lineage } from '../contract/artifact/index.ts';
import type { Caller } from '../contract/caller/index.ts';

/**
 * Which run and step made which artifact. The bytes are elsewhere; the index says which are in use.
 *
 * 1. An artifact is in it as long as it has a maker, and no longer.
 * 2. `add` and `forUnused` exclude each other, also between processes: what `isThere` saw cannot be
 *    removed before the maker is noted, and what `forUnused` names gets no maker meanwhile.
 * 3. What `add` returned for survives the loss of power.
 */
export interface ArtifactIndex {
  /** False, and nothing noted, when `isThere` says no. Of makers with the same run and step the first counts. */
  add(maker: ArtifactMaker, isThere: () => boolean): Promise<boolean>;
  /** Those of this caller, oldest first. */
  makersOf(caller: Caller, id: string, limit: number): Promise<readonly ArtifactMaker[]>;
  /** Ids of what this caller made, latest first. */
  recent(caller: Caller, filter: ArtifactFilter): Promise<readonly string[]>;
  release(caller: Caller, runIds: readonly string[]): Promise<void>;
  /** Calls `use` with those of `ids` that have no maker, of any caller. */
  forUnused(ids: readonly string[], use: (id: string) => void): Promise<void>;
}

/** One row of the index. */
export interface ArtifactMaker extends ArtifactRef {
  readonly callerId: string;
  readonly lineage: Lineage;
}
