import { z } from 'zod';
import type { DeepReadonly } from '../../kernel/index.ts';
import type { Caller } from '../caller/index.ts';

/** What made an artifact. One artifact may have several: the same bytes can be made twice. */
const lineageSchema = z.object({
  runId: z.string(),
  /** Path of the step: `tests`, `build[3]`, `outer/inner`. */
  step: z.string(),
  tool: z.string().nullable(),
  /** Digest of the arguments it was called with. */
  argumentsDigest: z.string().nullable(),
  /** Artifacts among its arguments. */
  inputs: z.array(z.string()),
  /** ISO 8601. */
  createdAt: z.string(),
});

/** A content-addressed output: the same bytes have the same id, and never change. */
export const artifactSchema = z.object({
  id: z.string().describe('`sha256:` and 64 hex digits: the same bytes have the same id.'),
  bytes: z.int(),
  mediaType: z.string(),
  createdAt: z.string(),
  lineage: z.array(lineageSchema),
});

export type Lineage = DeepReadonly<z.output<typeof lineageSchema>>;
export type ArtifactDescription = DeepReadonly<z.output<typeof artifactSchema>>;
export type ArtifactRef = Pick<ArtifactDescription, 'id' | 'bytes' | 'mediaType'>;

/** A part of an artifact, for readers with a size limit. */
export interface ArtifactPage extends ArtifactRef {
  readonly offset: number;
  /** UTF-8 text where the artifact is text, else base64. */
  readonly text?: string;
  readonly base64?: string;
  /** Where to go on; null at the end. */
  readonly nextOffset: number | null;
}

/** The store of artifacts as the other rooms use it. */
export interface Artifacts {
  /** Keeps the bytes, durably before it returns, and notes what made them. */
  put(caller: Caller, content: NewArtifact): Promise<ArtifactRef>;
  /** All of it, checked against its digest. Throws `artifacts.not_found`, `artifacts.damaged`. */
  get(caller: Caller, id: string): Promise<Uint8Array>;
  /** `maxBytes` of it from `offset`; text is cut between characters. */
  page(
    caller: Caller,
    id: string,
    range: { readonly offset: number; readonly maxBytes: number },
  ): Promise<ArtifactPage>;
  describe(caller: Caller, id: string): Promise<ArtifactDescription>;
  list(caller: Caller, filter: ArtifactFilter): Promise<readonly ArtifactDescription[]>;
  /** Notes that a step holds an artifact that another made: a cached result. Throws `artifacts.not_found`. */
  hold(caller: Caller, id: string, lineage: NewLineage): Promise<ArtifactRef>;
  /** Forgets the artifacts of runs; unreferenced bytes go at the next collection. */
  release(caller: Caller, runIds: readonly string[]): Promise<void>;
  /** The same, and removes at once the bytes that nothing else refers to. */
  discard(caller: Caller, runIds: readonly string[]): Promise<void>;
  collect(): Promise<CollectionReport>;
}

export interface NewArtifact {
  readonly content: Uint8Array | string;
  readonly mediaType: string;
  readonly lineage: NewLineage;
}

export type NewLineage = Omit<Lineage, 'createdAt'>;

export interface ArtifactFilter {
  readonly runId?: string;
  readonly limit: number;
}

export interface CollectionReport {
  readonly removed: number;
  readonly freedBytes: number;
}
