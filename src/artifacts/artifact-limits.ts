/** What bounds a store of artifacts; times in milliseconds. */
export interface ArtifactLimits {
  /** Of one artifact. */
  readonly maxBytes: number;
  readonly maxPageBytes: number;
  readonly maxListed: number;
  /** Makers told of one artifact. */
  readonly maxLineage: number;
  /** A file without a maker is collected when it is older: a younger one may be just being added. */
  readonly graceMs: number;
}

export const defaultArtifactLimits: ArtifactLimits = {
  maxBytes: 256 * 1024 * 1024,
  maxPageBytes: 1024 * 1024,
  maxListed: 1_000,
  maxLineage: 100,
  graceMs: 3_600_000,
};
