import { expect, it } from 'vitest';
import { maxPresence, WordIndex } from './word-index.ts';

function presences(index: WordIndex<string>, word: string): Record<string, number> {
  const found: Record<string, number> = {};
  index.forEachHolder(word, (id, presence) => (found[id] = presence));
  return found;
}

it('finds documents by word: more often and in shorter documents counts more, up to a bound', () => {
  const index = new WordIndex<string>(0.5);
  index.put('once', [{ words: ['parse', 'file'], weight: 1 }], 2);
  index.put('often', [{ words: ['parse', 'parse'], weight: 3 }], 2);
  index.put('long', [{ words: ['parse', 'file'], weight: 1 }], 200);
  const { once = 0, often = 0, long = 0 } = presences(index, 'parse');
  expect(often).toBeGreaterThan(once);
  expect(once).toBeGreaterThan(long);
  expect(often).toBeLessThan(maxPresence);
  expect(index.rarity(1)).toBeGreaterThan(index.rarity(2));
});

it('forgets a document that was removed or replaced', () => {
  const index = new WordIndex<string>(0.5);
  index.put('a', [{ words: ['old'], weight: 1 }], 1);
  index.put('a', [{ words: ['new'], weight: 1 }], 1);
  expect([index.size, index.holderCount('old'), index.holderCount('new')]).toEqual([1, 0, 1]);
  index.remove('a');
  expect([index.size, index.holderCount('new')]).toEqual([0, 0]);
});
