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

/** Of which there are few. */
type VectorLabel = Pick<VectorTraits, 'kind' | 'status' | 'sensitivity'>;

export interface VectorFilter {
  readonly isWanted: (label: VectorLabel) => boolean;
  readonly observedFromMs: number;
  readonly observedUntilMs: number;
  /** Undefined: also what is over. */
  readonly validAtMs?: number | undefined;
  /** Only these. */
  readonly keys?: ReadonlySet<number> | undefined;
}

export interface NearVector {
  readonly key: number;
  /** From -1 to 1. */
  readonly cosine: number;
}

/** Vectors whose numbers are kept together: 1.5 MB, so that growing copies nothing. */
const vectorsPerBlock = 4_096;
const bitsPerWord = 32;
/** Nearest by their signs, whose cosines are computed; those asked for are among them all but always. */
const minRescored = 1_000;
const rescoredPerWanted = 10;
/** Keys begin at 1. */
const noKey = 0;

/** Vectors with 8 bits a number, looked through by the signs of their numbers first. */
export class VectorIndex {
  readonly #dimensions: number;
  readonly #words: number;
  readonly #blocks: Block[] = [];
  readonly #slots = new Map<number, number>();
  readonly #free: number[] = [];
  readonly #labels: VectorLabel[] = [];
  readonly #labelNumbers = new Map<string, number>();

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
    if (known === undefined && this.#free.length === 0) this.#grow();
    const slot = known ?? this.#free.pop() ?? 0;
    const { block, at } = this.#locate(slot);
    this.#slots.set(key, slot);
    block.keys[at] = key;
    block.labels[at] = this.#labelNumber(traits);
    block.observedAtMs[at] = traits.observedAtMs;
    block.validFromMs[at] = traits.validFromMs;
    block.validUntilMs[at] = traits.validUntilMs;
    block.vectors.set(vector, at * this.#dimensions);
    block.lengths[at] = lengthOf(vector);
    writeSigns(vector, block.signs, at * this.#words);
  }

  delete(key: number): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    const { block, at } = this.#locate(slot);
    this.#slots.delete(key);
    this.#free.push(slot);
    block.keys[at] = noKey;
    block.vectors.fill(0, at * this.#dimensions, (at + 1) * this.#dimensions);
    block.signs.fill(0, at * this.#words, (at + 1) * this.#words);
  }

  /** The nearest of those that are wanted, the nearest first. */
  nearest(vector: Float32Array, limit: number, filter: VectorFilter): readonly NearVector[] {
    const count = Math.max(minRescored, limit * rescoredPerWanted);
    const length = lengthOf(vector) || 1;
    return this.#closest(vector, count, filter)
      .map((slot) => this.#locate(slot))
      .map(({ block, at }) => ({
        key: block.keys[at] ?? noKey,
        cosine: this.#dot(vector, block, at) / length,
      }))
      .sort((a, b) => b.cosine - a.cosine)
      .slice(0, limit);
  }

  /** About `count` slots of wanted vectors whose numbers have the same sign as this one's most often. */
  #closest(vector: Float32Array, count: number, filter: VectorFilter): readonly number[] {
    const signs = new Int32Array(this.#words);
    writeSigns(vector, signs, 0);
    const isWanted = createTest(filter, this.#labels);
    const slots = new Uint32Array(this.#slots.size);
    const distances = new Uint16Array(this.#slots.size);
    const perDistance = new Uint32Array(this.#dimensions + 1);
    let wanted = 0;
    for (const [index, block] of this.#blocks.entries()) {
      for (let at = 0; at < vectorsPerBlock; at += 1) {
        if (!isWanted(block, at)) continue;
        const distance = distanceOf(signs, block.signs, at * this.#words);
        slots[wanted] = index * vectorsPerBlock + at;
        distances[wanted] = distance;
        perDistance[distance] = (perDistance[distance] ?? 0) + 1;
        wanted += 1;
      }
    }
    const farthest = farthestOf(perDistance, count);
    return Array.from(slots.subarray(0, wanted).filter((_, n) => (distances[n] ?? 0) <= farthest));
  }

  #dot(vector: Float32Array, { vectors, lengths }: Block, at: number): number {
    const start = at * this.#dimensions;
    let sum = 0;
    for (let n = 0; n < this.#dimensions; n += 1) {
      sum += (vector[n] ?? 0) * (vectors[start + n] ?? 0);
    }
    return sum / (lengths[at] || 1);
  }

  #labelNumber({ kind, status, sensitivity }: VectorTraits): number {
    const name = `${kind} ${status} ${sensitivity}`;
    const known = this.#labelNumbers.get(name);
    if (known !== undefined) return known;
    this.#labelNumbers.set(name, this.#labels.length);
    return this.#labels.push({ kind, status, sensitivity }) - 1;
  }

  #locate(slot: number): { readonly block: Block; readonly at: number } {
    const block = this.#blocks[Math.floor(slot / vectorsPerBlock)];
    if (!block) throw new Error('a slot is in a block');
    return { block, at: slot % vectorsPerBlock };
  }

  #grow(): void {
    const first = this.#blocks.length * vectorsPerBlock;
    this.#blocks.push({
      keys: new Float64Array(vectorsPerBlock),
      labels: new Uint8Array(vectorsPerBlock),
      observedAtMs: new Float64Array(vectorsPerBlock),
      validFromMs: new Float64Array(vectorsPerBlock),
      validUntilMs: new Float64Array(vectorsPerBlock),
      vectors: new Int8Array(vectorsPerBlock * this.#dimensions),
      signs: new Int32Array(vectorsPerBlock * this.#words),
      lengths: new Float32Array(vectorsPerBlock),
    });
    for (let at = vectorsPerBlock - 1; at >= 0; at -= 1) this.#free.push(first + at);
  }
}

interface Block {
  readonly keys: Float64Array;
  readonly labels: Uint8Array;
  readonly observedAtMs: Float64Array;
  readonly validFromMs: Float64Array;
  readonly validUntilMs: Float64Array;
  readonly vectors: Int8Array;
  readonly signs: Int32Array;
  readonly lengths: Float32Array;
}

function createTest(
  { isWanted, observedFromMs, observedUntilMs, validAtMs, keys }: VectorFilter,
  labels: readonly VectorLabel[],
): (block: Block, at: number) => boolean {
  const wanted = Uint8Array.from(labels, (label) => (isWanted(label) ? 1 : 0));
  return (block, at) => {
    const key = block.keys[at] ?? noKey;
    if (key === noKey || wanted[block.labels[at] ?? 0] === 0) return false;
    const observed = block.observedAtMs[at] ?? 0;
    if (observed < observedFromMs || observed > observedUntilMs) return false;
    if (keys && !keys.has(key)) return false;
    if (validAtMs === undefined) return true;
    return (block.validFromMs[at] ?? 0) <= validAtMs && (block.validUntilMs[at] ?? 0) > validAtMs;
  };
}

/** The distance within which there are `count` vectors. */
function farthestOf(perDistance: Uint32Array, count: number): number {
  let found = 0;
  for (const [distance, vectors] of perDistance.entries()) {
    found += vectors;
    if (found >= count) return distance;
  }
  return perDistance.length;
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
  for (let n = 0; n < vector.length; n += 1) sum += (vector[n] ?? 0) ** 2;
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
