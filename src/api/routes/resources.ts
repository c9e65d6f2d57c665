import { z } from 'zod';
import { type ApiRoute, byName, routesOf } from '../define-route.ts';
import { NotFoundError } from '../errors.ts';
import { pageAfter, pageOf, pageQuery } from '../page.ts';
import { contextOf } from './tools.ts';

const resources = routesOf('Resources');
const prompts = routesOf('Prompts');

const resourceSchema = z.object({
  uri: z.string(),
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
  size: z.number().optional(),
});

const templateSchema = resourceSchema
  .omit({ uri: true, size: true })
  .extend({ uriTemplate: z.string() });

const promptSchema = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  arguments: z
    .array(
      z.object({
        name: z.string(),
        title: z.string().optional(),
        description: z.string().optional(),
        required: z.boolean().optional(),
      }),
    )
    .optional(),
});

export const resourceRoutes: readonly ApiRoute[] = [
  resources.get('/resources', {
    summary: 'List the resources of all servers',
    permission: 'resources.read',
    query: z.strictObject(pageQuery),
    answer: pageOf(resourceSchema),
    async handle({ caller, query }, { catalogue }) {
      const { items, nextCursor } = pageAfter(
        await catalogue.listResources(caller),
        query,
        ({ uri }) => uri,
      );
      const shown = items.map(({ uri, name, title, description, mimeType, size }) => ({
        uri,
        name,
        title,
        description,
        mimeType,
        size,
      }));
      return { items: shown, nextCursor };
    },
  }),
  resources.get('/resources/templates', {
    summary: 'List the templates of resource addresses',
    permission: 'resources.read',
    query: z.strictObject(pageQuery),
    answer: pageOf(templateSchema),
    async handle({ caller, query }, { catalogue }) {
      const templates = await catalogue.listResourceTemplates(caller);
      const { items, nextCursor } = pageAfter(templates, query, ({ uriTemplate }) => uriTemplate);
      const shown = items.map(({ uriTemplate, name, title, description, mimeType }) => ({
        uriTemplate,
        name,
        title,
        description,
        mimeType,
      }));
      return { items: shown, nextCursor };
    },
  }),
  resources.get('/resources/content', {
    summary: 'Read a resource',
    permission: 'resources.read',
    query: z.strictObject({ uri: z.string().min(1).max(4_000) }),
    answer: z.object({
      contents: z.array(
        z.object({
          uri: z.string(),
          mimeType: z.string().optional(),
          text: z.string().optional(),
          blob: z.string().optional().describe('Base64.'),
        }),
      ),
    }),
    async handle(call, { catalogue }) {
      const { contents } = await catalogue.readResource(call.query.uri, contextOf(call));
      return { contents };
    },
  }),
  prompts.get('/prompts', {
    summary: 'List the prompts of all servers',
    permission: 'prompts.read',
    query: z.strictObject(pageQuery),
    answer: pageOf(promptSchema),
    async handle({ caller, query }, { catalogue }) {
      const prompts = (await catalogue.listPrompts(caller)).map(
        ({ arguments: wanted, ...prompt }) => ({
          ...prompt,
          ...(wanted && { arguments: [...wanted] }),
        }),
      );
      return pageAfter(prompts, query, ({ name }) => name);
    },
  }),
  prompts.post('/prompts/{name}', {
    summary: 'Get the messages of a prompt',
    permission: 'prompts.read',
    repeat: 'safe',
    params: byName,
    body: z.strictObject({ arguments: z.record(z.string(), z.string()).default({}) }),
    answer: z.object({
      description: z.string().optional(),
      messages: z.array(
        z.object({
          role: z.enum(['user', 'assistant']),
          content: z.record(z.string(), z.unknown()),
        }),
      ),
    }),
    async handle(call, { catalogue }) {
      const known = await catalogue.listPrompts(call.caller);
      if (!known.some(({ name }) => name === call.params.name)) {
        throw new NotFoundError('prompt', call.params.name);
      }
      const prompt = await catalogue.getPrompt(
        call.params.name,
        call.body.arguments,
        contextOf(call),
      );
      const { description } = prompt;
      return {
        ...(description !== undefined && { description }),
        messages: prompt.messages.map(({ role, content }) => ({ role, content: { ...content } })),
      };
    },
  }),
];
