import type {
  ArtifactDescription,
  ArtifactFilter,
  ArtifactPage,
  ArtifactRef,
  Artifacts,
  CollectionReport,
  Lineage,
  NewArtifact,
  NewLineage,
} from '../contract/artifact/index.ts';
import type { Caller } from '../contract/caller/index.ts';
import { type Clock, type FaultPoint, type Log, noFaults } from '../kernel/index.ts';
import { ContentFiles, idOf } from './content-files.ts';
import { ContentReader, isTextType, type PageRange, readPage } from './content-reader.ts';
import {
  ArtifactDamagedError,
  ArtifactNotFoundError,
  ArtifactNotWrittenError,
  ArtifactTooLargeError,
} from './errors.ts';

export interface ArtifactsOptions {
  /** Where the files are; made, for its owner alone, when the first is kept. */
  readonly directory: string;
  readonly index: ArtifactIndex;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<ArtifactLimits>;
  /** Passed at places where a crash must do no harm. */
  readonly faultPoint?: FaultPoint;
}

/** Touches no file until something is kept or read. */
export function openArtifacts(options: ArtifactsOptions): Artifacts {
  return new FileArtifacts(options);
}

/** Files that are looked up in the index at once while collecting; others wait that long for the database. */
const collectBatch = 100;
/** A file may be collected between being written and being noted; that often in a row it is no accident. */
const maxPutAttempts = 3;

/**
 * 1. A file is on disk before its maker is noted, and noted only while it is there: a crash leaves at
 *    worst a file without a maker.
 * 2. Only files without a maker are removed, while none can be added.
 */
class FileArtifacts implements Artifacts {
  readonly #options: ArtifactsOptions;
  readonly #limits: ArtifactLimits;
  readonly #files: ContentFiles;
  readonly #reader = new ContentReader();
  readonly #reach: FaultPoint;

  constructor(options: ArtifactsOptions) {
    const { directory, clock, limits, faultPoint = noFaults } = options;
    this.#options = options;
    this.#limits = { ...defaultArtifactLimits, ...limits };
    this.#files = new ContentFiles({ directory, clock, reach: faultPoint });
    this.#reach = faultPoint;
  }

  async put(caller: Caller, artifact: NewArtifact): Promise<ArtifactRef> {
    const { mediaType, lineage } = artifact;
    const { maxBytes } = this.#limits;
    const bytes = Buffer.byteLength(artifact.content);
    if (bytes > maxBytes) {
      const what = `step "${lineage.step}" of run ${lineage.runId}`;
      throw new ArtifactTooLargeError({ bytes, maxBytes }, what);
    }
    const content =
      typeof artifact.content === 'string' ? Buffer.from(artifact.content) : artifact.content;
    const ref = { id: idOf(content), bytes, mediaType };
    for (let attempt = 0; attempt < maxPutAttempts; attempt += 1) {
      await this.#files.keep(ref.id, content);
      if (await this.#note(caller, ref, lineage)) return ref;
    }
    throw new ArtifactNotWrittenError(ref.id, this.#options.directory, 'it keeps disappearing');
  }

  async get(caller: Caller, id: string): Promise<Uint8Array> {
    await this.#find(caller, id);
    return this.#reader.readAll({ id, path: this.#pathOf(id) });
  }

  async page(caller: Caller, id: string, range: PageRange): Promise<ArtifactPage> {
    const { bytes, mediaType } = await this.#find(caller, id);
    const maxBytes = Math.min(range.maxBytes, this.#limits.maxPageBytes);
    const page = await this.#reader.read({ id, path: this.#pathOf(id) }, (file, content) => {
      const isText = content.isUtf8 && isTextType(mediaType);
      return readPage(file, { ...content, isText }, { ...range, maxBytes });
    });
    return { id, bytes, mediaType, ...page };
  }

  async describe(caller: Caller, id: string): Promise<ArtifactDescription> {
    const makers = await this.#options.index.makersOf(caller, id, this.#limits.maxLineage);
    const [first] = makers;
    if (!first) throw new ArtifactNotFoundError(id);
    return {
      id,
      bytes: first.bytes,
      mediaType: first.mediaType,
      createdAt: first.lineage.createdAt,
      lineage: makers.map(({ lineage }) => lineage),
    };
  }

  async list(
    caller: Caller,
    filter: { readonly runId?: string; readonly limit: number },
  ): Promise<readonly ArtifactDescription[]> {
    const limit = Math.min(filter.limit, this.#limits.maxListed);
    const ids = await this.#options.index.recent(caller, { ...filter, limit });
    const found = await Promise.allSettled(ids.map((id) => this.describe(caller, id)));
    return found.flatMap((one) => {
      if (one.status === 'fulfilled') return [one.value];
      // Released since it was listed.
      if (one.reason instanceof ArtifactNotFoundError) return [];
      throw one.reason;
    });
  }

  async hold(caller: Caller, id: string, lineage: NewLineage): Promise<ArtifactRef> {
    const { bytes, mediaType } = await this.#find(caller, id);
    const ref = { id, bytes, mediaType };
    if (await this.#note(caller, ref, lineage)) return ref;
    throw new ArtifactDamagedError(id, { path: this.#pathOf(id), reason: 'its file is gone' });
  }

  release(caller: Caller, runIds: readonly string[]): Promise<void> {
    return this.#options.index.release(caller, runIds);
  }

  async discard(caller: Caller, runIds: readonly string[]): Promise<void> {
    const { index } = this.#options;
    const { maxListed: limit } = this.#limits;
    for (const runId of runIds) {
      // Of a run with more artifacts than are listed the others go with the next collection.
      const ids = await index.recent(caller, { runId, limit });
      await index.release(caller, [runId]);
      await index.forUnused(ids, (id) => this.#files.removeOlder(id, Infinity));
    }
  }

  async collect(): Promise<CollectionReport> {
    const beforeMs = this.#options.clock.now() - this.#limits.graceMs;
    let removed = 0;
    let freedBytes = 0;
    for await (const ids of this.#files.olderThan(beforeMs, collectBatch)) {
      await this.#options.index.forUnused(ids, (id) => {
        const bytes = this.#files.removeOlder(id, beforeMs);
        if (bytes === undefined) return;
        removed += 1;
        freedBytes += bytes;
      });
    }
    const swept = await this.#files.sweep(beforeMs);
    if (removed + swept > 0) {
      this.#options.log.info('artifacts collected', { removed, freedBytes, unfinished: swept });
    }
    return { removed, freedBytes };
  }

  async #note(caller: Caller, ref: ArtifactRef, lineage: NewLineage): Promise<boolean> {
    const { index, clock } = this.#options;
    const createdAt = new Date(clock.now()).toISOString();
    this.#reach('artifact.before-note');
    const isNoted = await index.add(
      { ...ref, callerId: caller.id, lineage: { ...lineage, createdAt } },
      () => this.#files.has(ref.id, ref.bytes),
    );
    this.#reach('artifact.after-note');
    return isNoted;
  }

  async #find(caller: Caller, id: string): Promise<ArtifactRef> {
    const [maker] = await this.#options.index.makersOf(caller, id, 1);
    if (!maker) throw new ArtifactNotFoundError(id);
    return maker;
  }

  #pathOf(id: string): string {
    const path = this.#files.pathOf(id);
    if (path === undefined) throw new ArtifactNotFoundError(id);
    return path;
  }
}

/** What bounds a store of artifacts; times in milliseconds. */
interface ArtifactLimits {
  /** Of one artifact. */
  readonly maxBytes: number;
  readonly maxPageBytes: number;
  readonly maxListed: number;
  /** Makers told of one artifact. */
  readonly maxLineage: number;
  /** A file without a maker is collected when it is older: a younger one may be just being added. */
  readonly graceMs: number;
}

const defaultArtifactLimits: ArtifactLimits = {
  maxBytes: 256 * 1024 * 1024,
  maxPageBytes: 1024 * 1024,
  maxListed: 1_000,
  maxLineage: 100,
  graceMs: 3_600_000,
};

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
