import { z } from 'zod';
import { isInScope } from '../../contract/access/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { CatalogueEntry } from '../../contract/catalogue/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { errorMetaKey } from '../../contract/tool/index.ts';
import {
  type ApiCall,
  type ApiRoute,
  booleanParam,
  byName,
  integerParam,
  routesOf,
} from '../define-route.ts';
import { NotFoundError } from '../errors.ts';
import { pageAfter, pageOf, pageQuery } from '../page.ts';
import type { ApiPorts } from '../ports.ts';

const { get, post } = routesOf('Tools');
const maxFound = 50;
const members = z.record(z.string(), z.unknown());

const summarySchema = z.object({
  name: z.string().describe('`server.tool`, as plans name it.'),
  server: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  readOnly: z.boolean().describe('It changes nothing.'),
  destructive: z.boolean().describe('It may destroy something.'),
});

const toolSchema = summarySchema.extend({
  inputSchema: members,
  outputSchema: members.optional(),
});

const resultSchema = z.object({
  content: z.array(members),
  structuredContent: members.optional(),
  isError: z.boolean().describe('The call was made, and the tool failed.'),
  error: members.optional().describe('What failed, with a stable code, where the tool said so.'),
});

export const toolRoutes: readonly ApiRoute[] = [
  get('/tools', {
    summary: 'List the tools of all servers',
    permission: 'tools.read',
    query: z.strictObject({
      ...pageQuery,
      server: z.string().min(1).max(200).optional().describe('Only tools of this server.'),
      schemas: booleanParam.optional().describe('With their input and output schemas.'),
    }),
    answer: pageOf(toolSchema.partial({ inputSchema: true })),
    async handle({ caller, query, cache }, { catalogue }) {
      // The same array until something changed.
      const all = await catalogue.entries();
      return cache.answer(all, [caller.scopes ?? null, query], () => {
        const entries = all.filter(
          ({ name, server }) =>
            (query.server === undefined || query.server === server) && isInScope(caller, name),
        );
        const { items, nextCursor } = pageAfter(entries, query, ({ name }) => name);
        const show = query.schemas === true ? showTool : summarize;
        return { items: items.map(show), nextCursor };
      });
    },
  }),
  get('/tools/find', {
    summary: 'Find the tools that fit what is to be done, best first',
    permission: 'tools.read',
    query: z.strictObject({
      query: z.string().min(1).max(1_000),
      limit: integerParam({ min: 1, max: maxFound }).optional().describe('5 unless given.'),
    }),
    answer: z.object({ items: z.array(summarySchema) }),
    async handle({ caller, query }, { findTools }) {
      const limit = query.limit ?? 5;
      // More than asked for, as some may lie outside of the caller's scope.
      const found = await findTools(query.query, caller.scopes ? maxFound : limit);
      const visible = found.filter(({ name }) => isInScope(caller, name));
      return { items: visible.slice(0, limit).map(summarize) };
    },
  }),
  get('/tools/{name}', {
    summary: 'Show a tool with its schemas',
    permission: 'tools.read',
    params: byName,
    answer: toolSchema,
    async handle({ caller, params }, ports) {
      const entry = await findTool(caller, params.name, ports);
      return showTool(entry);
    },
  }),
  post('/tools/{name}/call', {
    summary: 'Call a tool',
    description:
      'Answers 200 with `isError` when the tool itself failed. Disconnecting cancels the call.',
    permission: 'tools.call',
    params: byName,
    body: z.strictObject({ arguments: z.record(z.string(), z.json()).default({}) }),
    answer: resultSchema,
    async handle(call, ports) {
      const { wireName } = await findTool(call.caller, call.params.name, ports);
      const result = await ports.catalogue.callTool(wireName, call.body.arguments, contextOf(call));
      const error = result._meta?.[errorMetaKey];
      return {
        content: result.content,
        ...(result.structuredContent && { structuredContent: result.structuredContent }),
        isError: result.isError === true,
        ...(typeof error === 'object' && error !== null && { error: { ...error } }),
      };
    },
  }),
];

/** Tools outside of the caller's scope do not exist for it. */
async function findTool(
  caller: Caller,
  name: string,
  { catalogue }: Pick<ApiPorts, 'catalogue'>,
): Promise<CatalogueEntry> {
  const entry = (await catalogue.entries()).find((one) => one.name === name);
  if (!entry || !isInScope(caller, name)) throw new NotFoundError('tool', name);
  return entry;
}

function summarize({ name, server, tool }: CatalogueEntry): z.input<typeof summarySchema> {
  const { title, description, annotations = {} } = tool;
  return {
    name,
    server,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    readOnly: annotations.readOnlyHint === true,
    destructive: annotations.destructiveHint ?? annotations.readOnlyHint !== true,
  };
}

function showTool(entry: CatalogueEntry): z.input<typeof toolSchema> {
  const { inputSchema, outputSchema } = entry.tool;
  return { ...summarize(entry), inputSchema, ...(outputSchema && { outputSchema }) };
}

export function contextOf({
  caller,
  signal,
  meta,
}: Pick<ApiCall<unknown, unknown, unknown>, 'caller' | 'signal' | 'meta'>): CallContext {
  return { caller, face: 'rest', signal, meta, progress: () => {} };
}
