import { describe, expect, it } from 'vitest';
import { withoutThinking, WithoutThinking } from './without-thinking.ts';

function inPieces(text: string, size: number): string {
  const kept: string[] = [];
  const filter = new WithoutThinking((piece) => kept.push(piece));
  for (let at = 0; at < text.length; at += size) filter.push(text.slice(at, at + size));
  filter.end();
  return kept.join('');
}

describe('an answer without what the model said to itself', () => {
  it.each([
    ['<think>hm</think>Hello', 'Hello'],
    ['\n <think>hm\n</think>\n\nHello', 'Hello'],
    ['Hello <think>hm</think>', 'Hello <think>hm</think>'],
    ['<thin air> Hello', '<thin air> Hello'],
    ['<think>never ends', ''],
    ['<thin', '<thin'],
    ['  ', '  '],
    ['', ''],
  ])('of %j is %j, however it is cut into pieces', (text, answer) => {
    expect(withoutThinking(text)).toBe(answer);
    for (const size of [1, 2, 3, 7, 1_000]) {
      // Space that comes right behind the thinking belongs to it only where it comes with its end.
      expect(inPieces(text, size).trim()).toBe(answer.trim());
    }
  });

  it('does not hold space back without end', () => {
    const shown: string[] = [];
    const filter = new WithoutThinking((piece) => shown.push(piece));
    for (let index = 0; index < 300; index += 1) filter.push(' ');
    expect(shown.join('').length).toBeGreaterThan(256);
  });
});
