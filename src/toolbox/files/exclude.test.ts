import { describe, expect, it } from 'vitest';
import { excluder } from './exclude.ts';

describe('patterns to leave out', () => {
  it.each([
    [['data'], 'data/keys.txt', true],
    [['data'], 'src/data/keys.txt', true],
    [['/data'], 'src/data/keys.txt', false],
    [['src/old.py'], 'src/old.py', true],
    [['*.test.ts'], 'src/a/cart.test.ts', true],
    [['*.test.ts', '!cart.test.ts'], 'src/cart.test.ts', false],
    [[], 'a.py', false],
    [['docs'], '.', false],
    [['docs'], '../docs/a.md', true],
  ])('%j on %s: %s', (patterns, path, isExcluded) => {
    expect(excluder(patterns)(path)).toBe(isExcluded);
  });
});
