import { z } from 'zod';
import { integerParam } from './define-route.ts';
import { InvalidRequestError } from './errors.ts';

const defaultPageSize = 50;
export const maxPageSize = 200;
const maxCursorLength = 600;

/** Query parameters of every list. */
export const pageQuery = {
  limit: integerParam({ min: 1, max: maxPageSize })
    .optional()
    .describe(`How many at most; ${defaultPageSize} unless given.`),
  cursor: z
    .string()
    .min(1)
    .max(maxCursorLength)
    .optional()
    .describe('`nextCursor` of the page before. Opaque: its content may change.'),
};

export interface PageRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().describe('For the next page; null on the last one.'),
  });
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/**
 * The page after the item that the cursor names. Items may come and go between two pages: none is given twice as long
 * as the order of those that stay does not change. A cursor whose item is gone ends the list.
 */
export function pageAfter<Item>(
  items: readonly Item[],
  { limit = defaultPageSize, cursor }: PageRequest,
  idOf: (item: Item) => string,
): Page<Item> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const at = after === undefined ? 0 : items.findIndex((item) => idOf(item) === after) + 1;
  if (after !== undefined && at === 0) return { items: [], nextCursor: null };
  const page = items.slice(at, at + limit);
  const last = page.at(-1);
  const hasMore = last !== undefined && at + limit < items.length;
  return { items: page, nextCursor: hasMore ? writeCursor(idOf(last)) : null };
}

export function pageSize({ limit = defaultPageSize }: PageRequest): number {
  return limit;
}

/** Kept apart from ids by its prefix, so that an id is not taken for a cursor. */
const cursorPrefix = 'c1:';

export function writeCursor(value: string): string {
  return Buffer.from(`${cursorPrefix}${value}`).toString('base64url');
}

/** The number in a cursor of a list that goes by numbers. */
export function readNumberCursor(cursor: string): number {
  const text = readCursor(cursor);
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw notACursor();
}

export function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const isOurs = text.startsWith(cursorPrefix) && writeCursor(text.slice(3)) === cursor;
  if (isOurs) return text.slice(cursorPrefix.length);
  throw notACursor();
}

function notACursor(): InvalidRequestError {
  const message = 'is not a cursor that this API gave';
  return new InvalidRequestError([{ in: 'query', path: 'cursor', message }]);
}
