import { z } from 'zod';
import {
  contextDiffSchema,
  contextNameSchema,
  contextVersionSchema,
  maxContextItems,
  newContextItemSchema,
  packedContextSchema,
  type Contexts,
} from '../../contract/context/index.ts';
import { pluralize } from '../../kernel/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import texts from './tools.json' with { type: 'json' };

const readOnly = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;
const reference = z
  .string()
  .min(1)
  .max(100)
  .describe('An id, a unique beginning of one, a name for its latest version, or `name@3`.');
const maxListed = 200;
const maxPackTokens = 1_000_000;

/** Contexts as tools. Sharing and removing are left to people: a tool must not give others access. */
export function contextTools(contexts: Contexts): readonly DefinedTool[] {
  return [createTool(contexts), listTool(contexts), getTool(contexts), diffTool(contexts)];
}

function createTool(contexts: Contexts): DefinedTool {
  return defineTool({
    ...texts.create_context,
    input: z.strictObject({
      name: contextNameSchema.describe('What it is called.'),
      items: z.array(newContextItemSchema).min(1).max(maxContextItems).describe('In order.'),
      parent: reference.optional().describe('The version it is made from; the latest of the name.'),
      add: z.boolean().default(false).describe('Keeps the items of that version, too.'),
    }),
    output: contextVersionSchema,
    run: ({ name, items, parent, add }, { caller }) =>
      contexts.create(caller, {
        name,
        items,
        isAddition: add,
        ...(parent !== undefined && { parent }),
      }),
    summarize: ({ id, name, number, items, tokens }) =>
      `${name}@${number}: ${pluralize(items, 'item')}, about ${pluralize(tokens, 'token')}\n${id}`,
  });
}

function listTool(contexts: Contexts): DefinedTool {
  return defineTool({
    ...texts.list_contexts,
    input: z.strictObject({
      limit: z.int().min(1).max(maxListed).default(50).describe('List at most this many.'),
    }),
    output: z.object({ contexts: z.array(contextVersionSchema) }),
    annotations: readOnly,
    run: async ({ limit }, { caller }) => ({
      contexts: [...(await contexts.list(caller, { limit }))],
    }),
    summarize: ({ contexts: listed }) =>
      listed.map(({ id, name, number }) => `${name}@${number} ${id}`).join('\n') || 'None',
  });
}

function getTool(contexts: Contexts): DefinedTool {
  return defineTool({
    ...texts.get_context,
    input: z.strictObject({
      context: reference,
      max_tokens: z
        .int()
        .min(1)
        .max(maxPackTokens)
        .optional()
        .describe('The setting `conversation.context_window` when not given.'),
    }),
    output: packedContextSchema,
    annotations: readOnly,
    run: ({ context, max_tokens: maxTokens }, { caller }) =>
      contexts.pack(caller, context, maxTokens === undefined ? {} : { maxTokens }),
    summarize: ({ text }) => text,
  });
}

function diffTool(contexts: Contexts): DefinedTool {
  return defineTool({
    ...texts.diff_contexts,
    input: z.strictObject({ from: reference, to: reference }),
    output: contextDiffSchema,
    annotations: readOnly,
    run: ({ from, to }, { caller }) => contexts.diff(caller, from, to),
    summarize: ({ isSame, changes }) =>
      isSame
        ? 'The same'
        : changes.map(({ change, title, patch }) => `${change} ${title}\n${patch}`).join('\n') ||
          'The order differs',
  });
}
