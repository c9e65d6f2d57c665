import { expect, it } from 'vitest';
import { IdTable } from './id-table.ts';

it('tells ids apart that look the same, and holds any of them', () => {
  const ids = [1, '1', -1, '-1', 0, '', '__proto__', 'constructor', 2 ** 40, 'a'];
  const table = new IdTable<unknown>();
  for (const id of ids) {
    expect(table.has(id)).toBe(false);
    expect(table.get(id)).toBeUndefined();
    table.set(id, { id });
  }
  for (const id of ids) expect(table.get(id)).toEqual({ id });
  expect(table.size).toBe(ids.length);
});

it('counts what is in it, however often it is set or deleted', () => {
  const table = new IdTable<string>();
  table.set(1, 'a');
  table.set(1, 'b');
  table.set('x', 'c');
  expect(table.size).toBe(2);
  expect(table.values().sort()).toEqual(['b', 'c']);
  expect([table.delete(1), table.delete(1)]).toEqual([true, false]);
  expect(table.size).toBe(1);
  table.clear();
  expect([table.size, table.has('x')]).toEqual([0, false]);
});

it('holds thousands at once, whatever numbers they are under', () => {
  const steps = [1, 64, 4_096, -3];
  for (const step of steps) {
    const table = new IdTable<number>();
    const ids = Array.from({ length: 6_000 }, (_, at) => at * step);
    for (const id of ids) table.set(id, id);
    expect(table.size).toBe(ids.length);
    expect(ids.every((id) => table.has(id) && table.get(id) === id)).toBe(true);
    const odd = ids.filter((_, at) => at % 2 === 1);
    for (const id of odd) expect(table.delete(id)).toBe(true);
    for (const id of ids) table.set(id, -id);
    expect(table.size).toBe(ids.length);
    expect(ids.every((id) => table.get(id) === -id)).toBe(true);
    for (const id of ids) expect(table.delete(id)).toBe(true);
    expect([table.size, table.values()]).toEqual([0, []]);
  }
});

it('keeps an entry when the slot it would have had becomes free', () => {
  const table = new IdTable<string>();
  table.set(1, 'first');
  table.set(65, 'second');
  table.delete(1);
  table.set(65, 'changed');
  expect([table.get(65), table.size]).toEqual(['changed', 1]);
  expect(table.values()).toEqual(['changed']);
});

it('lists numbers in order', () => {
  const table = new IdTable<string>();
  for (const id of [70, 3, 64, 'x']) table.set(id, String(id));
  expect(table.values()).toEqual(['3', '64', '70', 'x']);
});
