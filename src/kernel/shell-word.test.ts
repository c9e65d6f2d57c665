import { expect, it } from 'vitest';
import { shellWord } from './shell-word.ts';

it.each([
  ['/home/you/shop', '/home/you/shop'],
  ['each[2]/send', "'each[2]/send'"],
  ["it's here", String.raw`'it'\''s here'`],
  ['', "''"],
])('writes %j as %s', (word, written) => {
  expect(shellWord(word)).toBe(written);
});
