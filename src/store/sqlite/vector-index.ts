/** What of an item decides whether a search wants it. */
export interface VectorTraits {
  readonly kind: string;
  readonly status: string;
  readonly sensitivity: string;
  readonly observedAtMs: number;
  readonly validFromMs: number;
  /** Infinity while it holds. */
  readonly validUntilMs: number;
}

export interface NearVector {
  readonly key: number;
  /** From -1 to 1. */
  readonly cosine: number;
}

interface Slot extends VectorTraits {
  readonly key: number;
  readonly block: Block;
  readonly at: number;
}

/** Vectors whose numbers are kept together: 1.5 MB, so that growing copies nothing. */
const vectorsPerBlock = 4_096;
const bitsPerWord = 32;
/** Nearest by their signs, whose cosines are computed; those asked for are among them all but always. */
const minRescored = 1_000;
const rescoredPerWanted = 10;

/** Vectors with 8 bits a number, looked through by the signs of their numbers first. */
export class VectorIndex {
  readonly #dimensions: number;
  readonly #words: number;
  readonly #slots = new Map<number, Slot>();
  readonly #free: Omit<Slot, keyof VectorTraits | 'key'>[] = [];

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#words = Math.ceil(dimensions / bitsPerWord);
  }

  get size(): number {
    return this.#slots.size;
  }

  /** Replaces the one of this key. */
  set(key: number, vector: Int8Array, traits: VectorTraits): void {
    const known = this.#slots.get(key);
    if (!known && this.#free.length === 0) this.#grow();
    const position = known ?? this.#free.pop();
    if (!position) throw new Error('a block has slots');
    const { block, at } = position;
    block.vectors.set(vector, at * this.#dimensions);
    block.lengths[at] = lengthOf(vector);
    writeSigns(vector, block.signs, at * this.#words);
    this.#slots.set(key, { ...traits, key, block, at });
  }

  delete(key: number): void {
    const slot = this.#slots.get(key);
    if (!slot) return;
    const { block, at } = slot;
    this.#slots.delete(key);
    block.vectors.fill(0, at * this.#dimensions, (at + 1) * this.#dimensions);
    block.signs.fill(0, at * this.#words, (at + 1) * this.#words);
    this.#free.push({ block, at });
  }

  /** The nearest of those that are wanted, the nearest first. */
  nearest(
    vector: Float32Array,
    limit: number,
    isWanted: (slot: VectorTraits & { readonly key: number }) => boolean,
  ): readonly NearVector[] {
    const wanted: Slot[] = [];
    for (const slot of this.#slots.values()) if (isWanted(slot)) wanted.push(slot);
    const close = this.#closest(vector, wanted, Math.max(minRescored, limit * rescoredPerWanted));
    const length = lengthOf(vector) || 1;
    return close
      .map((slot) => ({ key: slot.key, cosine: this.#dot(vector, slot) / length }))
      .sort((a, b) => b.cosine - a.cosine)
      .slice(0, limit);
  }

  /** About `count` of them whose numbers have the same sign as the vector's most often. */
  #closest(vector: Float32Array, slots: readonly Slot[], count: number): readonly Slot[] {
    if (slots.length <= count) return slots;
    const signs = new Int32Array(this.#words);
    writeSigns(vector, signs, 0);
    const distances = new Uint16Array(slots.length);
    const perDistance = new Uint32Array(this.#dimensions + 1);
    let index = 0;
    for (const { block, at } of slots) {
      const distance = distanceOf(signs, block.signs, at * this.#words);
      distances[index] = distance;
      perDistance[distance] = (perDistance[distance] ?? 0) + 1;
      index += 1;
    }
    let farthest = 0;
    for (let found = 0; farthest < this.#dimensions; farthest += 1) {
      found += perDistance[farthest] ?? 0;
      if (found >= count) break;
    }
    return slots.filter((_, at) => (distances[at] ?? 0) <= farthest);
  }

  #dot(vector: Float32Array, { block, at }: Slot): number {
    const { vectors, lengths } = block;
    const start = at * this.#dimensions;
    let sum = 0;
    for (let n = 0; n < this.#dimensions; n += 1) {
      sum += (vector[n] ?? 0) * (vectors[start + n] ?? 0);
    }
    return sum / (lengths[at] || 1);
  }

  #grow(): void {
    const block: Block = {
      vectors: new Int8Array(vectorsPerBlock * this.#dimensions),
      signs: new Int32Array(vectorsPerBlock * this.#words),
      lengths: new Float32Array(vectorsPerBlock),
    };
    for (let at = vectorsPerBlock - 1; at >= 0; at -= 1) this.#free.push({ block, at });
  }
}

interface Block {
  readonly vectors: Int8Array;
  readonly signs: Int32Array;
  readonly lengths: Float32Array;
}

const maxNumber = 127;

/** With 8 bits a number; directions stay, lengths do not. */
export function quantize(vector: Float32Array): Int8Array {
  let largest = 0;
  for (const number of vector) largest = Math.max(largest, Math.abs(number));
  return Int8Array.from(vector, (number) =>
    largest === 0 ? 0 : Math.round((number / largest) * maxNumber),
  );
}

function lengthOf(vector: Float32Array | Int8Array): number {
  let sum = 0;
  for (const number of vector) sum += number * number;
  return Math.sqrt(sum);
}

function writeSigns(vector: Float32Array | Int8Array, signs: Int32Array, start: number): void {
  for (let n = 0; n < vector.length; n += bitsPerWord) {
    let word = 0;
    for (let bit = 0; bit < bitsPerWord; bit += 1) {
      if ((vector[n + bit] ?? 0) > 0) word |= 1 << bit;
    }
    signs[start + n / bitsPerWord] = word;
  }
}

/** Bits in which they differ. */
function distanceOf(one: Int32Array, other: Int32Array, start: number): number {
  let count = 0;
  for (let n = 0; n < one.length; n += 1) {
    let bits = (one[n] ?? 0) ^ (other[start + n] ?? 0);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}
