import { describe, expect, it } from 'vitest';
import { RandomIds } from './open-span.ts';

describe('random ids', () => {
  it('have the asked length and do not repeat, over many fillings of the pool', () => {
    const ids = new RandomIds();
    const given = Array.from({ length: 5_000 }, () => [ids.next(16), ids.next(8)]).flat();
    expect(new Set(given).size).toBe(given.length);
    for (const [index, id] of given.entries()) {
      expect(id).toMatch(index % 2 === 0 ? /^[0-9a-f]{32}$/ : /^[0-9a-f]{16}$/);
    }
  });
});
