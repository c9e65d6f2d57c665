import type { MemoryItem } from '../../src/contract/memory/index.ts';

export function aMemoryItem(parts: Partial<MemoryItem> = {}): MemoryItem {
  return {
    id: 'item',
    kind: 'fact',
    text: 'The answer is 42',
    source: { kind: 'person', face: 'cli' },
    status: 'active',
    sensitivity: 'normal',
    pinned: false,
    observedAt: '2026-01-01T00:00:00.000Z',
    validFrom: '2026-01-01T00:00:00.000Z',
    validUntil: null,
    supersedes: null,
    supersededBy: null,
    ...parts,
  };
}

/** A direction of its own for each seed. */
export function aVector(seed: number, dimensions = 384): Float32Array {
  let state = seed * 2_654_435_761 + 1;
  const raw = Float32Array.from({ length: dimensions }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  });
  const length = Math.sqrt(raw.reduce((sum, number) => sum + number * number, 0));
  return raw.map((number) => number / length);
}
