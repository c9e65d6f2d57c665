import { invalidParams } from './rpc-failure.ts';

/** So many that clients without paging see everything, so few that one answer stays bounded. */
const pageSize = 1_000;

const cursorPattern = /^[1-9][0-9]{0,8}$/;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: { readonly nextCursor?: string };
}

/** One page of a listing. A cursor is the place of the first item, so it stays valid between calls. */
export function pageOf<Item>(items: readonly Item[], cursor: unknown): Page<Item> {
  const start = readCursor(cursor);
  if (start > 0 && start >= items.length) {
    throw invalidParams('params.cursor is not one that an earlier page ended with');
  }
  const end = start + pageSize;
  return {
    items: start === 0 && items.length <= pageSize ? items : items.slice(start, end),
    next: end < items.length ? { nextCursor: String(end) } : {},
  };
}

function readCursor(cursor: unknown): number {
  if (cursor === undefined) return 0;
  if (typeof cursor !== 'string' || !cursorPattern.test(cursor)) {
    throw invalidParams('params.cursor is not one that an earlier page ended with');
  }
  return Number(cursor);
}
