import { describe, expect, it } from 'vitest';
import { aVector } from '../../../testkit/memory/a-memory-item.ts';
import { quantize, VectorIndex } from './vector-index.ts';

const traits = {
  kind: 'fact',
  status: 'active',
  sensitivity: 'normal',
  observedAtMs: 0,
  validFromMs: 0,
  validUntilMs: Infinity,
};

const all = { isWanted: () => true, observedFromMs: -Infinity, observedUntilMs: Infinity };

/** Vectors around a few centres, as those of texts about a few subjects are. */
function aCluster(seed: number): Float32Array {
  const centre = aVector(seed % 50);
  const own = aVector(seed + 1_000);
  const mixed = centre.map((number, n) => number + 0.8 * (own[n] ?? 0));
  const length = Math.hypot(...mixed);
  return mixed.map((number) => number / length);
}

describe('a vector index', () => {
  it('finds the same as comparing with every vector', () => {
    const index = new VectorIndex(384);
    const count = 4_000;
    const vectors = Array.from({ length: count }, (_, n) => aCluster(n));
    for (const [key, vector] of vectors.entries()) index.set(key + 1, quantize(vector), traits);
    let same = 0;
    for (let query = 0; query < 10; query += 1) {
      const asked = aCluster(count + query);
      const exact = vectors
        .map((vector, n) => ({ key: n + 1, cosine: dot(vector, asked) }))
        .sort((a, b) => b.cosine - a.cosine)
        .slice(0, 10);
      const found = new Set(index.nearest(asked, 10, all).map(({ key }) => key));
      same += exact.filter(({ key }) => found.has(key)).length;
    }
    expect(same / 100).toBeGreaterThan(0.95);
  });

  it('keeps nothing of what was deleted, and uses its slot again', () => {
    const index = new VectorIndex(384);
    for (const key of [1, 2, 3]) index.set(key, quantize(aVector(key)), traits);
    index.delete(2);
    index.delete(9);
    expect(index.size).toBe(2);
    index.set(4, quantize(aVector(4)), traits);
    const found = index.nearest(aVector(4), 9, { ...all, keys: new Set([2, 3, 4]) });
    expect(found.map(({ key }) => key)).toEqual([4, 3]);
    expect(found[0]?.cosine).toBeCloseTo(1, 2);
  });
});

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, number, n) => sum + number * (other[n] ?? 0), 0);
}
