import { createHash, randomBytes } from 'node:crypto';
import { appendFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Log, reportError } from '../kernel/index.ts';
import type { Embedder } from './local-embedder.ts';

/** How many texts are embedded before what was gained is kept. */
const textsPerRound = 16;
const defaultMaxVectors = 8_192;

interface VectorCacheOptions extends Pick<VectorFileOptions, 'path' | 'log'> {
  readonly maxVectors?: number;
}

/** Embeds a text once: what it is given again, by this or a later process, comes from the file. */
export function createCachedEmbedder(embedder: Embedder, options: VectorCacheOptions): Embedder {
  const { dimensions } = embedder;
  const file = new VectorFile({ maxVectors: defaultMaxVectors, dimensions, ...options });
  return {
    dimensions,
    embed: async (texts, signal) => {
      const vectors = await file.find(texts);
      const missing = texts.map((text, at) => ({ text, at })).filter(({ at }) => !vectors[at]);
      for (let from = 0; from < missing.length; from += textsPerRound) {
        const round = missing.slice(from, from + textsPerRound);
        const made = await embedder.embed(
          round.map(({ text }) => text),
          signal,
        );
        const kept = round.flatMap(({ text, at }, index) => {
          const vector = made[index];
          vectors[at] = vector;
          return vector ? [{ text, vector }] : [];
        });
        await file.keep(kept);
      }
      return vectors.flatMap((vector) => vector ?? []);
    },
    close: () => embedder.close(),
  };
}

interface VectorFileOptions {
  readonly path: string;
  readonly dimensions: number;
  /** Beyond this many vectors the older half is dropped. */
  readonly maxVectors: number;
  readonly log: Log;
}

const keyBytes = 16;
const checkBytes = 4;
const bytesPerNumber = 2;

/**
 * Vectors by the text they stand for, kept for other processes: records of a hash of the text, half
 * precision numbers and a check sum, one after the other. Records are appended, so that processes
 * may share the file; what does not check out ends the reading, and is embedded again some day.
 */
class VectorFile {
  readonly #options: VectorFileOptions;
  readonly #recordBytes: number;
  #reading: Promise<Map<string, Float32Array>> | undefined;
  #writing = Promise.resolve();

  constructor(options: VectorFileOptions) {
    this.#options = options;
    this.#recordBytes = keyBytes + options.dimensions * bytesPerNumber + checkBytes;
  }

  async find(texts: readonly string[]): Promise<(Float32Array | undefined)[]> {
    const known = await this.#known();
    return texts.map((text) => known.get(keyOf(text).toString('hex')));
  }

  /** Never throws: a vector that could not be kept is computed again. */
  async keep(found: readonly { readonly text: string; readonly vector: Float32Array }[]) {
    const known = await this.#known();
    for (const { text, vector } of found) known.set(keyOf(text).toString('hex'), vector);
    const isFull = known.size > this.#options.maxVectors;
    if (isFull) dropOldest(known, Math.floor(this.#options.maxVectors / 2));
    const records = isFull
      ? [...known].map(([key, vector]) => this.#encode(Buffer.from(key, 'hex'), vector))
      : found.map(({ text, vector }) => this.#encode(keyOf(text), vector));
    this.#writing = this.#writing.then(() => this.#write(Buffer.concat(records), isFull));
    await this.#writing;
  }

  #known(): Promise<Map<string, Float32Array>> {
    this.#reading ??= this.#read();
    return this.#reading;
  }

  async #read(): Promise<Map<string, Float32Array>> {
    const known = new Map<string, Float32Array>();
    const { path, maxVectors } = this.#options;
    const maxBytes = 2 * maxVectors * this.#recordBytes;
    const size = (await stat(path).catch(() => undefined))?.size ?? 0;
    // Larger than we write: not ours, or of a process that ignores the limit.
    const bytes = size > maxBytes ? Buffer.alloc(0) : await readFile(path).catch(() => null);
    if (!bytes) return known;
    let at = 0;
    while (at + this.#recordBytes <= bytes.length) {
      const record = bytes.subarray(at, at + this.#recordBytes);
      const checked = record.subarray(0, -checkBytes);
      if (crc32(checked) !== record.readUInt32LE(checked.length)) break;
      known.set(record.toString('hex', 0, keyBytes), this.#decode(checked));
      at += this.#recordBytes;
    }
    if (at !== size) await rm(path, { force: true }).catch(() => {});
    if (at !== size && known.size > 0) {
      const sound = bytes.subarray(0, at);
      await this.#write(sound, true);
    }
    return known;
  }

  async #write(bytes: Buffer, isWhole: boolean): Promise<void> {
    const { path, log } = this.#options;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      if (!isWhole) return await appendFile(path, bytes, { mode: 0o600 });
      const draft = `${path}.${randomBytes(6).toString('hex')}`;
      await writeFile(draft, bytes, { mode: 0o600 });
      await rename(draft, path);
    } catch (error) {
      const { message } = reportError(error);
      log.warn('failed to store vectors', { path, message });
    }
  }

  #encode(key: Buffer, vector: Float32Array): Buffer {
    const numbers = Float16Array.from(vector);
    const checked = Buffer.concat([key, new Uint8Array(numbers.buffer)]);
    const check = Buffer.alloc(checkBytes);
    check.writeUInt32LE(crc32(checked));
    return Buffer.concat([checked, check]);
  }

  #decode(checked: Buffer): Float32Array {
    const bytes = Uint8Array.from(checked.subarray(keyBytes));
    return Float32Array.from(new Float16Array(bytes.buffer));
  }
}

function keyOf(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, keyBytes);
}

function dropOldest(known: Map<string, Float32Array>, count: number): void {
  for (const key of known.keys()) {
    if (known.size <= count) return;
    known.delete(key);
  }
}
