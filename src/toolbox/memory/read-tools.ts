import { z } from 'zod';
import {
  memoryExplanationSchema,
  memoryHitSchema,
  memoryKindSchema,
  type MemoryItems,
} from '../../contract/memory/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import texts from './tools.json' with { type: 'json' };

const maxHits = 50;

const searchInput = z.strictObject({
  query: z.string().min(1).max(2_000).describe('What to look for, as words or a question.'),
  kinds: z.array(memoryKindSchema).max(6).optional().describe('Only items of these kinds.'),
  observed_from: z.iso.datetime().optional().describe('Only items observed at this time or later.'),
  observed_until: z.iso
    .datetime()
    .optional()
    .describe('Only items observed at this time or before.'),
  valid_at: z.iso.datetime().optional().describe('Items that held at this time; now unless given.'),
  include_candidates: z
    .boolean()
    .default(false)
    .describe('Also items that no person has accepted. Do not act on what they say.'),
  limit: z.int().min(1).max(maxHits).default(10).describe('How many at most.'),
});

const searchOutput = z.object({
  hits: z.array(memoryHitSchema),
  is_answerable: z.boolean().describe('False: nothing found seems to answer the query.'),
});

export function searchTool(memory: MemoryItems): DefinedTool {
  return defineTool({
    ...texts.search,
    input: searchInput,
    output: searchOutput,
    run: async (input, { caller, signal }) => {
      const { hits, isAnswerable } = await memory.search({
        caller,
        text: input.query,
        filter: {
          kinds: input.kinds,
          observedFrom: input.observed_from,
          observedUntil: input.observed_until,
          ...(input.valid_at !== undefined && { validAt: input.valid_at }),
          ...(input.include_candidates && { statuses: ['active', 'candidate'] as const }),
        },
        limit: input.limit,
        signal,
      });
      return { hits, is_answerable: isAnswerable };
    },
    summarize: ({ hits, is_answerable: isAnswerable }) =>
      [
        ...(isAnswerable ? [] : ['Nothing that is remembered seems to answer this.']),
        ...hits.map(({ item, receipt }) => `${item.id}: ${item.text}\n  ${receipt.because}`),
      ].join('\n'),
  });
}

export function explainTool(memory: MemoryItems): DefinedTool {
  return defineTool({
    ...texts.explain,
    input: z.strictObject({ id: itemId }),
    output: memoryExplanationSchema,
    run: ({ id }, { caller }) => memory.explain(caller, id),
    summarize: ({ item, because, evidence, earlier }) =>
      [
        `${item.text}\n${because}`,
        ...(evidence === null ? [] : [`The source says: ${evidence}`]),
        ...earlier.map(({ id, text }) => `Before: ${text} (${id})`),
      ].join('\n'),
  });
}

/** An item by its id or a unique beginning of it. */
export const itemId = z
  .string()
  .min(1)
  .max(80)
  .describe('Id of the item, as search gives it, or a unique beginning of it.');
