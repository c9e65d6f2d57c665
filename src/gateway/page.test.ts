import { expect, it } from 'vitest';
import { pageOf } from './page.ts';

const items = Array.from({ length: 2_500 }, (_, n) => n);

it('gives everything in one page while it fits', () => {
  expect(pageOf(items.slice(0, 1_000), undefined)).toEqual({
    items: items.slice(0, 1_000),
    next: {},
  });
});

it('leads from page to page to the end', () => {
  const seen: number[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = pageOf(items, cursor);
    seen.push(...page.items);
    cursor = page.next.nextCursor;
    pages += 1;
  } while (cursor !== undefined && pages < 10);
  expect(seen).toEqual(items);
  expect(pages).toBe(3);
});

it.each([5, '', '0', '-1', '1e3', 'abc', '2500', '99999999999', {}, null])(
  'refuses the cursor %j, which it never gave',
  (cursor) => {
    expect(() => pageOf(items, cursor)).toThrow('params.cursor');
  },
);
