import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compareFacts } from './compare-facts.ts';

type Pairs = Readonly<Record<'replaces' | 'both', readonly (readonly [string, string])[]>>;
const file = new URL('../../../test/data/memory/contradictions.json', import.meta.url);
const data: Readonly<Record<'tuning' | 'unread', Pairs>> = JSON.parse(readFileSync(file, 'utf8'));

const colours = new Set(['blue', 'green', 'red']);
/** Colours are alike, as the model of meanings has it (0.69 for blue and green), and nothing else is. */
const likeness = async (...values: readonly string[]): Promise<number> =>
  values.every((value) => colours.has(value)) ? 0.7 : 0.3;
const relationOf = (earlier: string, later: string, isCorrection = false) =>
  compareFacts(earlier, later, { isCorrection, likeness });

describe('a later fact', () => {
  for (const half of ['tuning', 'unread'] as const) {
    for (const relation of ['replaces', 'both'] as const) {
      it.each(data[half][relation])(`${half}, ${relation}: %s / %s`, async (earlier, later) => {
        expect(await relationOf(earlier, later)).toBe(relation);
      });
    }
  }

  it('may end an earlier one where the words do not tell', async () => {
    const port = ['Staging runs on port 5433', 'the staging port is 6000'] as const;
    expect(await relationOf(...port)).toBe('unclear');
    expect(await relationOf(...port, true)).toBe('replaces');
    const colour = ['the door is blue', 'the door is green'] as const;
    expect(await compareFacts(...colour, { isCorrection: false })).toBe('unclear');
  });

  it('ends as a correction what it has most words of', async () => {
    expect(await relationOf('Ben works on search', 'Cleo works on search', true)).toBe('replaces');
    expect(await relationOf('Anna likes tea', 'Anna likes coffee', true)).toBe('replaces');
    expect(await relationOf('order 12 costs 40 euros', 'order 13 costs 50 euros', true)).toBe(
      'both',
    );
  });

  it.each([
    ['use port 8080 for the proxy', 'use port 9090 for the metrics'],
    ['the meeting with Anna is on Friday', 'the meeting with Ben is on Monday'],
    ['the staging port is 5433', 'the staging port is 5433 and the admin port is 6000'],
    ['Anna likes tea', 'Anna also likes coffee'],
    ['the staging port is 5433', 'the staging port is also 5434'],
  ])('holds with another: %s / %s', async (earlier, later) => {
    expect(await relationOf(earlier, later)).toBe('both');
  });
});
