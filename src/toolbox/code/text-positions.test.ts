import { describe, expect, it } from 'vitest';
import { TextPositions } from './text-positions.ts';

describe('positions in a text', () => {
  it('count lines and columns from 1, in UTF-16 units, a line break as the end of its line', () => {
    const positions = new TextPositions('ab\n😀c\n');
    expect([0, 2, 3, 5, 6, 7].map((offset) => positions.position(offset))).toEqual([
      { line: 1, column: 1 },
      { line: 1, column: 3 },
      { line: 2, column: 1 },
      { line: 2, column: 3 },
      { line: 2, column: 4 },
      { line: 3, column: 1 },
    ]);
    expect(positions.line(6)).toBe(2);
    expect(positions.lineCount).toBe(3);
  });

  it('give back every offset they were made of', () => {
    const text = '\n\nx\r\n  y\n\u2028z';
    const positions = new TextPositions(text);
    for (let offset = 0; offset <= text.length; offset += 1) {
      const { line, column } = positions.position(offset);
      expect(positions.offset(line, column)).toBe(offset);
    }
  });

  it('end with the text', () => {
    const positions = new TextPositions('a\nb');
    expect([positions.offset(2, 99), positions.offset(99, 1)]).toEqual([3, 3]);
    expect(new TextPositions('').position(0)).toEqual({ line: 1, column: 1 });
  });
});
