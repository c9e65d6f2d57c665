import { z } from 'zod';
import {
  contextDiffSchema,
  contextNameSchema,
  contextSchema,
  contextVersionSchema,
  maxContextItems,
  newContextItemSchema,
  packedContextSchema,
} from '../../contract/context/index.ts';
import { type ApiRoute, byId, integerParam, routesOf } from '../define-route.ts';
import {
  pageAfter,
  pageOf,
  pageQuery,
  pageSize,
  readCursor,
  readNumberCursor,
  writeCursor,
} from '../page.ts';

const { get, post, remove } = routesOf('Contexts');
/** Contexts that a list reaches. */
const maxListed = 1_000;
const maxImported = 10_000;
const maxTextChars = 4_194_304;
const maxPackTokens = 1_000_000;

const reference = z
  .string()
  .min(1)
  .max(100)
  .describe('An id, a unique beginning of one, a name, or `name@3`.');
const callerBody = z.strictObject({
  caller: z.string().min(1).max(200).describe('Whom it is shared with: `acme/alice`.'),
});
const sharesSchema = z.object({ sharedWith: z.array(z.string()) });

const readRoutes: readonly ApiRoute[] = [
  get('/contexts', {
    summary: 'List contexts with their latest versions, latest first',
    permission: 'contexts.read',
    query: z.strictObject(pageQuery),
    answer: pageOf(contextVersionSchema),
    async handle({ caller, query }, { contexts }) {
      const listed = await contexts.list(caller, { limit: maxListed });
      return pageAfter(listed, query, ({ owner, id }) => `${owner} ${id}`);
    },
  }),
  get('/contexts/{id}', {
    summary: 'Show a version of a context',
    description: 'By id, a unique beginning of one, its name (the latest version) or `name@3`.',
    permission: 'contexts.read',
    params: byId,
    answer: contextVersionSchema.extend({ context: contextSchema }),
    handle: ({ caller, params }, { contexts }) => contexts.show(caller, params.id),
  }),
  get('/contexts/{id}/versions', {
    summary: 'List a version and those it was made from, newest first',
    permission: 'contexts.read',
    params: byId,
    query: z.strictObject(pageQuery),
    answer: pageOf(contextVersionSchema),
    async handle({ caller, params, query }, { contexts }) {
      const limit = pageSize(query);
      const after = query.cursor === undefined ? {} : { after: readCursor(query.cursor) };
      const found = await contexts.history(caller, params.id, { limit: limit + 1, ...after });
      const items = found.slice(0, limit);
      const last = items.at(-1);
      return { items, nextCursor: found.length > limit && last ? writeCursor(last.id) : null };
    },
  }),
  get('/contexts/{id}/diff', {
    summary: 'Compare a version with another one',
    permission: 'contexts.read',
    params: byId,
    query: z.strictObject({ to: reference }),
    answer: contextDiffSchema,
    handle: ({ caller, params, query }, { contexts }) => contexts.diff(caller, params.id, query.to),
  }),
  get('/contexts/{id}/text', {
    summary: 'Get as much of a context as fits into a number of tokens',
    description: 'The same id and number give the same text. Secrets are hidden in it.',
    permission: 'contexts.read',
    params: byId,
    query: z.strictObject({ maxTokens: integerParam({ min: 1, max: maxPackTokens }).optional() }),
    answer: packedContextSchema,
    handle: ({ caller, params, query: { maxTokens } }, { contexts }) =>
      contexts.pack(caller, params.id, maxTokens === undefined ? {} : { maxTokens }),
  }),
  get('/contexts/{id}/export', {
    summary: 'Export a version and those it was made from, oldest first',
    description:
      'Items are the canonical texts: the SHA-256 of one is the id of its version. A page ends after about a million characters.',
    permission: 'contexts.read',
    params: byId,
    query: z.strictObject(pageQuery),
    answer: pageOf(z.string()),
    async handle({ caller, params, query }, { contexts }) {
      const offset = query.cursor === undefined ? 0 : readNumberCursor(query.cursor);
      const range = { offset, limit: pageSize(query) };
      const { texts, nextOffset } = await contexts.export(caller, params.id, range);
      const nextCursor = nextOffset === null ? null : writeCursor(String(nextOffset));
      return { items: texts, nextCursor };
    },
  }),
  get('/contexts/{id}/shares', {
    summary: 'List the callers that a context of yours is shared with',
    permission: 'contexts.read',
    params: byId,
    answer: sharesSchema,
    handle: async ({ caller, params }, { contexts }) => ({
      sharedWith: await contexts.sharedWith(caller, params.id),
    }),
  }),
];

const writeRoutes: readonly ApiRoute[] = [
  post('/contexts', {
    summary: 'Create a version of a context',
    description:
      'A name that is there gets a further version; the same content gives the same version again. Items are texts, or a session, a run or an artifact of yours, whose text is taken now.',
    permission: 'contexts.write',
    status: 201,
    repeat: 'safe',
    body: z.strictObject({
      name: contextNameSchema,
      items: z.array(newContextItemSchema).min(1).max(maxContextItems),
      parent: reference.optional(),
      add: z.boolean().optional().describe('Keeps the items of the parent, too.'),
    }),
    answer: contextVersionSchema,
    location: ({ id }) => `/contexts/${id}`,
    handle: ({ caller, body: { name, items, parent, add = false } }, { contexts }) =>
      contexts.create(caller, {
        name,
        items,
        isAddition: add,
        ...(parent !== undefined && { parent }),
      }),
  }),
  post('/contexts/import', {
    summary: 'Import versions that were exported, parents first',
    description:
      'All of them or none. A text that was changed no longer fits its successors and is refused.',
    permission: 'contexts.write',
    repeat: 'safe',
    body: z.strictObject({
      versions: z.array(z.string().max(maxTextChars)).min(1).max(maxImported),
    }),
    answer: z.object({ added: z.int(), known: z.int(), latest: contextVersionSchema }),
    handle: ({ caller, body }, { contexts }) => contexts.import(caller, body.versions),
  }),
  post('/contexts/{id}/share', {
    summary: 'Let another caller of your tenant read a context',
    description:
      'All versions of its name, later ones too. Whether the caller exists is not disclosed.',
    permission: 'contexts.write',
    repeat: 'safe',
    params: byId,
    body: callerBody,
    answer: sharesSchema,
    handle: async ({ caller, params, body }, { contexts }) => ({
      sharedWith: await contexts.share(caller, params.id, body.caller),
    }),
  }),
  post('/contexts/{id}/unshare', {
    summary: 'Stop sharing a context with a caller',
    permission: 'contexts.write',
    repeat: 'safe',
    params: byId,
    body: callerBody,
    answer: sharesSchema,
    handle: async ({ caller, params, body }, { contexts }) => ({
      sharedWith: await contexts.unshare(caller, params.id, body.caller),
    }),
  }),
  remove('/contexts/{id}', {
    summary: 'Remove a context: one version by id, all of them by name',
    permission: 'contexts.write',
    params: byId,
    answer: z.object({ removed: z.int() }),
    async handle({ caller, params }, { contexts }) {
      return { removed: await contexts.remove(caller, params.id) };
    },
  }),
];

export const contextRoutes: readonly ApiRoute[] = [...writeRoutes, ...readRoutes];
