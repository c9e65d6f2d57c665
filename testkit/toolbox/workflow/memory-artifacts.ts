import { createHash } from 'node:crypto';
import type {
  ArtifactDescription,
  ArtifactFilter,
  ArtifactPage,
  ArtifactRef,
  Artifacts,
  NewArtifact,
} from '../../../src/contract/artifact/index.ts';
import type { Caller } from '../../../src/contract/caller/index.ts';
import { AppError } from '../../../src/kernel/index.ts';

class FakeNotFoundError extends AppError {
  readonly code: string = 'artifacts.not_found';
}

interface Kept extends ArtifactDescription {
  readonly callerId: string;
  readonly content: Buffer;
}

/** Artifacts that are gone with their process; pages of ASCII text only. */
export class MemoryArtifacts implements Artifacts {
  readonly #kept = new Map<string, Kept>();

  async put(caller: Caller, { content, mediaType, lineage }: NewArtifact): Promise<ArtifactRef> {
    const bytes = Buffer.from(content);
    const id = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const ref = { id, bytes: bytes.length, mediaType };
    const createdAt = '2026-01-01T00:00:00.000Z';
    const made = { createdAt, lineage: [{ ...lineage, createdAt }] };
    this.#kept.set(id, { ...ref, ...made, callerId: caller.id, content: bytes });
    return ref;
  }

  async get(caller: Caller, id: string): Promise<Uint8Array> {
    return this.#find(caller, id).content;
  }

  async page(
    caller: Caller,
    id: string,
    { offset, maxBytes }: { readonly offset: number; readonly maxBytes: number },
  ): Promise<ArtifactPage> {
    const { content, bytes, mediaType } = this.#find(caller, id);
    const end = Math.min(offset + maxBytes, bytes);
    const part = content.subarray(offset, end);
    const isText = mediaType.startsWith('text/') || mediaType === 'application/json';
    const shown = isText ? { text: part.toString() } : { base64: part.toString('base64') };
    return { id, bytes, mediaType, offset, ...shown, nextOffset: end < bytes ? end : null };
  }

  async describe(caller: Caller, id: string): Promise<ArtifactDescription> {
    return this.#find(caller, id);
  }

  async list(caller: Caller, { limit }: ArtifactFilter): Promise<readonly ArtifactDescription[]> {
    return [...this.#kept.values()].filter((one) => one.callerId === caller.id).slice(0, limit);
  }

  async hold(caller: Caller, id: string): Promise<ArtifactRef> {
    return this.#find(caller, id);
  }

  async release(): Promise<void> {}
  async discard(): Promise<void> {}
  async collect(): Promise<{ removed: number; freedBytes: number }> {
    return { removed: 0, freedBytes: 0 };
  }

  #find(caller: Caller, id: string): Kept {
    const kept = this.#kept.get(id);
    if (kept?.callerId !== caller.id) throw new FakeNotFoundError(`There is no artifact "${id}"`);
    return kept;
  }
}
