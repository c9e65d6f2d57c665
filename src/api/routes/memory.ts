import { z } from 'zod';
import {
  maxMemoryTextLength,
  memoryItemSchema,
  memoryKindSchema,
  memorySensitivitySchema,
  memorySourceSchema,
  memoryStatusSchema,
} from '../../contract/memory/index.ts';
import { byId, defineRoute, integerParam, listParam, type ApiRoute } from '../define-route.ts';
import { pageOf, pageQuery, pageSize, readCursor, writeCursor } from '../page.ts';

const group = 'Memory';
const maxHits = 50;
const usualHits = 10;

const receiptSchema = z.object({
  words: z.array(z.string()).describe('Words of the query that the item has.'),
  likeness: z.number().nullable().describe('How alike they are in meaning, from -1 to 1.'),
  ageDays: z.number(),
  source: memorySourceSchema,
  because: z.string().describe('Why it was found, in one sentence.'),
});

const filterQuery = {
  kinds: listParam(memoryKindSchema.options as [string, ...string[]])
    .pipe(z.array(memoryKindSchema))
    .optional()
    .describe('Only items of these kinds, separated by commas.'),
  statuses: listParam(memoryStatusSchema.options as [string, ...string[]])
    .pipe(z.array(memoryStatusSchema))
    .optional()
    .describe('`active` unless given. A candidate has not been accepted by a person.'),
  sensitivities: listParam(memorySensitivitySchema.options as [string, ...string[]])
    .pipe(z.array(memorySensitivitySchema))
    .optional()
    .describe('`normal` unless given.'),
  observedFrom: z.iso.datetime().optional(),
  observedUntil: z.iso.datetime().optional(),
};

const textSchema = z.string().min(1).max(maxMemoryTextLength);
/** A request carries the key of the caller, who vouches for its words. */
const own = { source: { kind: 'person', face: 'rest' }, isVouchedFor: true } as const;

export const memoryRoutes: readonly ApiRoute[] = [
  defineRoute({
    method: 'get',
    path: '/memory',
    group,
    summary: 'List memory items, latest observed first',
    permission: 'memory.read',
    query: z.strictObject({ ...pageQuery, ...filterQuery }),
    answer: pageOf(memoryItemSchema),
    async handle({ caller, query }, { memoryItems }) {
      const { limit: _limit, cursor, ...filter } = query;
      const size = pageSize(query);
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const items = await memoryItems.list(caller, filter, { limit: size + 1, after });
      const page = items.slice(0, size);
      const last = page.at(-1);
      const hasMore = last !== undefined && items.length > size;
      return { items: page, nextCursor: hasMore ? writeCursor(last.id) : null };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/memory/search',
    group,
    summary: 'Search the memory by words and meaning',
    description:
      'Each hit has a receipt: why it was found. Superseded items are left out unless `validAt` is in the past.',
    permission: 'memory.read',
    query: z.strictObject({
      query: z.string().min(1).max(2_000),
      limit: integerParam({ min: 1, max: maxHits }).optional(),
      validAt: z.iso.datetime().optional(),
      ...filterQuery,
    }),
    answer: z.object({
      hits: z.array(
        z.object({ item: memoryItemSchema, score: z.number(), receipt: receiptSchema }),
      ),
      isAnswerable: z.boolean().describe('False: nothing found seems to answer the query.'),
    }),
    async handle({ caller, query, signal }, { memoryItems }) {
      const { query: text, limit = usualHits, validAt, ...rest } = query;
      const filter = { ...rest, ...(validAt !== undefined && { validAt }) };
      const { hits, isAnswerable } = await memoryItems.search({
        caller,
        text,
        filter,
        limit,
        signal,
      });
      const shown = hits.map(({ item, score, receipt: { words, ...receipt } }) => {
        return { item, score, receipt: { ...receipt, words: [...words] } };
      });
      return { hits: shown, isAnswerable };
    },
  }),
  defineRoute({
    method: 'post',
    path: '/memory',
    group,
    summary: 'Remember something',
    permission: 'memory.write',
    status: 201,
    // Kept answers would have the text after it is forgotten.
    isSecret: true,
    body: z.strictObject({
      text: textSchema,
      kind: memoryKindSchema.exclude(['turn']).optional(),
      sensitivity: memorySensitivitySchema.optional(),
      pinned: z.boolean().optional(),
      isEverywhere: z
        .boolean()
        .optional()
        .describe('For all projects, not only the folder that the server works in.'),
      validFrom: z.iso.datetime().optional(),
      validUntil: z.iso.datetime().optional(),
    }),
    answer: memoryItemSchema,
    location: ({ id }) => `/memory/${id}`,
    handle: ({ caller, body }, { memoryItems }) =>
      memoryItems.remember(caller, { ...body, ...own }),
  }),
  defineRoute({
    method: 'get',
    path: '/memory/{id}',
    group,
    summary: 'Explain a memory item: where it comes from, and its versions',
    permission: 'memory.read',
    params: byId,
    answer: z.object({
      item: memoryItemSchema,
      because: z.string(),
      evidence: z.string().nullable().describe('What the source says.'),
      earlier: z.array(memoryItemSchema).describe('Versions it superseded, the latest first.'),
      newer: memoryItemSchema.nullable().describe('The version that superseded it.'),
    }),
    async handle({ caller, params }, { memoryItems }) {
      const { earlier, ...explanation } = await memoryItems.explain(caller, params.id);
      return { ...explanation, earlier: [...earlier] };
    },
  }),
  defineRoute({
    method: 'post',
    path: '/memory/{id}/correct',
    group,
    summary: 'Supersede a memory item by a new version',
    permission: 'memory.write',
    status: 201,
    isSecret: true,
    params: byId,
    body: z.strictObject({ text: textSchema }),
    answer: memoryItemSchema,
    location: ({ id }) => `/memory/${id}`,
    handle: ({ caller, params, body }, { memoryItems }) =>
      memoryItems.correct(caller, params.id, { ...body, ...own }),
  }),
  defineRoute({
    method: 'post',
    path: '/memory/{id}/change',
    group,
    summary: 'Pin, accept or exclude a memory item',
    description: '`active` accepts a candidate, and recalls an excluded item again.',
    permission: 'memory.write',
    repeat: 'safe',
    isSecret: true,
    params: byId,
    body: z.strictObject({
      pinned: z.boolean().optional(),
      status: memoryStatusSchema.exclude(['candidate']).optional(),
    }),
    answer: memoryItemSchema,
    async handle({ caller, params, body: { pinned, status } }, { memoryItems }) {
      if (pinned !== undefined) await memoryItems.pin(caller, params.id, pinned);
      if (status !== undefined) await memoryItems.setStatus(caller, params.id, status);
      return (await memoryItems.explain(caller, params.id)).item;
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/memory/{id}',
    group,
    summary: 'Forget a memory item',
    description:
      'For good, with its earlier versions and the words of the turns that it was copied from.',
    permission: 'memory.write',
    params: byId,
    answer: z.object({ forgotten: z.array(z.string()), turns: z.int() }),
    async handle({ caller, params }, { memoryItems }) {
      const { forgotten, turns } = await memoryItems.forget(caller, [params.id]);
      return { forgotten: [...forgotten], turns };
    },
  }),
];
