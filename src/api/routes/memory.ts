import { z } from 'zod';
import {
  forgottenMemorySchema,
  maxMemoryTextLength,
  memoryExplanationSchema,
  memoryHitSchema,
  memoryItemSchema,
  memoryKindSchema,
  memorySensitivitySchema,
  memoryStatusSchema,
} from '../../contract/memory/index.ts';
import { type ApiRoute, byId, integerParam, listParam, routesOf } from '../define-route.ts';
import { pageOf, pageQuery, pageSize, readCursor, writeCursor } from '../page.ts';

const { get, post, remove } = routesOf('Memory');
const maxHits = 50;
const usualHits = 10;

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
  get('/memory', {
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
  get('/memory/search', {
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
      hits: z.array(memoryHitSchema),
      isAnswerable: z.boolean().describe('False: nothing found seems to answer the query.'),
    }),
    async handle({ caller, query, signal }, { memoryItems }) {
      const { query: text, limit = usualHits, validAt, ...rest } = query;
      const filter = { ...rest, ...(validAt !== undefined && { validAt }) };
      return memoryItems.search({ caller, text, filter, limit, signal });
    },
  }),
  post('/memory', {
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
  get('/memory/{id}', {
    summary: 'Explain a memory item: where it comes from, and its versions',
    permission: 'memory.read',
    params: byId,
    answer: memoryExplanationSchema,
    handle: ({ caller, params }, { memoryItems }) => memoryItems.explain(caller, params.id),
  }),
  post('/memory/{id}/correct', {
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
  post('/memory/{id}/change', {
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
  remove('/memory/{id}', {
    summary: 'Forget a memory item',
    description:
      'For good, with its earlier versions and the words of the turns that it was copied from.',
    permission: 'memory.write',
    params: byId,
    answer: forgottenMemorySchema,
    handle: ({ caller, params }, { memoryItems }) => memoryItems.forget(caller, [params.id]),
  }),
];
