import { describe, expect, it } from 'vitest';
import { learnLabels } from './learn-labels.ts';

const none = () => 0;
const examples = new Map([
  [
    'fruit',
    [
      ['red', 'apple'],
      ['sweet', 'pear'],
      ['apple', 'tree'],
      ['ripe', 'pear'],
    ],
  ],
  [
    'metal',
    [
      ['cold', 'iron'],
      ['heavy', 'lead'],
      ['iron', 'bar'],
      ['pure', 'gold'],
    ],
  ],
]);

describe('labels learned from examples', () => {
  it('come best first, with shares that add up to one', () => {
    const guesses = learnLabels(examples)(['apple', 'pie'], none);
    expect(guesses.map(({ label }) => label)).toEqual(['fruit', 'metal']);
    expect(guesses.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  });

  it('are undecided where nothing is known, and then follow the prior', () => {
    const classify = learnLabels(examples);
    expect(classify(['cloud'], none)[0]?.share).toBeCloseTo(0.5);
    expect(classify(['cloud'], (label) => (label === 'metal' ? 1 : 0))[0]?.label).toBe('metal');
  });

  it('are the same for the same examples', () => {
    const [one, other] = [learnLabels(examples), learnLabels(examples)];
    expect(one(['iron', 'apple'], none)).toEqual(other(['iron', 'apple'], none));
  });

  it('with few examples are not drowned by those with many', () => {
    const many = Array.from({ length: 200 }, (_, at) => ['make', `thing${at}`]);
    const classify = learnLabels(
      new Map([
        ['common', many],
        [
          'rare',
          [
            ['make', 'ticket'],
            ['ticket', 'list'],
          ],
        ],
      ]),
    );
    expect(classify(['ticket', 'please'], none)[0]?.label).toBe('rare');
  });
});
