import { describe, expect, it } from 'vitest';
import { outlineJson } from './outline-json.ts';

const limits = { maxValueChars: 40, maxLines: 20 };

describe('JSON as lines', () => {
  it('is one line while it is short', () => {
    expect(outlineJson({ to: 'x', n: [1, 2] }, limits)).toEqual({
      lines: ['{"to":"x","n":[1,2]}'],
      isCut: false,
    });
    expect(outlineJson(null, limits).lines).toEqual(['null']);
  });

  it('names every member, of what lies within too', () => {
    const long = 'x'.repeat(30);
    const { lines, isCut } = outlineJson(
      { a: long, b: { c: [long, long, long], d: {} }, e: 1 },
      limits,
    );
    expect(lines).toEqual([
      `a: "${long}"`,
      'b: 2 members',
      '  c: 3 items',
      `    [0]: "${long}"`,
      `    [1]: "${long}"`,
      `    [2]: "${long}"`,
      '  d: {}',
      'e: 1',
    ]);
    expect(isCut).toBe(false);
  });

  it.each([
    ['value', (text: string) => ({ a: text, z: 'y'.repeat(100) })],
    ['value in a list', (text: string) => ({ a: ['y'.repeat(100), text] })],
    ['name', (text: string) => ({ [text]: 1, z: 'y'.repeat(100) })],
  ])('shows both ends of a long %s, and how long it is', (_what, wrap) => {
    const { lines, isCut } = outlineJson(wrap(`begin${'-'.repeat(5_000)}end`), limits);
    const line = lines.find((it) => it.includes('begin')) ?? '';
    expect(line).toMatch(/begin-+… \[\d+ of 50\d\d characters left out\] …-+end/);
    expect(line.length).toBeLessThan(120);
    expect(isCut).toBe(true);
  });

  it('says how many lines are left out', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key${at}`, at]));
    const { lines, isCut } = outlineJson(many, limits);
    expect([lines.length, lines.at(-1), isCut]).toEqual([21, '… 480 more lines', true]);
  });
});
