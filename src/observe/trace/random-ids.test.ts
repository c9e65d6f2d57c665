import { describe, expect, it } from 'vitest';
import { RandomIds } from './random-ids.ts';

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

describe('ids of traces', () => {
  it('are random but for the first byte, which neighbours have in common', () => {
    const ids = new RandomIds();
    const given = Array.from({ length: 4_096 }, () => ids.nextTrace());
    expect(new Set(given.map((id) => id.slice(2))).size).toBe(given.length);
    expect(given.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
    const beginnings = given.map((id) => id.slice(0, 2));
    const changes = beginnings.filter((it, at) => it !== beginnings[at - 1]).length;
    expect(changes).toBeLessThanOrEqual(4_096 / 256);
    expect(new Set(beginnings).size).toBeGreaterThan(8);
  });
});
