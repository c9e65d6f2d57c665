import { z } from 'zod';
import type { Artifacts } from '../../contract/artifact/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';

/** What a model takes at once without losing sight of the rest. */
const defaultPageBytes = 16_384;
const maxPageBytes = 262_144;

const outputSchema = z.object({
  id: z.string(),
  bytes: z.int().describe('Of all of it.'),
  mediaType: z.string(),
  offset: z.int(),
  text: z.string().optional(),
  base64: z.string().optional().describe('Where it is no text.'),
  nextOffset: z.int().nullable().describe('Where to go on; null at the end.'),
});

/** The tool `read_artifact`: an output too big to be shown, page by page. */
export function readArtifactTool(artifacts: Pick<Artifacts, 'page'>): DefinedTool {
  return defineTool({
    name: 'read_artifact',
    title: 'Read an artifact',
    description:
      'Reads a big output of a run by its id (sha256:…), from any offset, page by page: text is cut between characters, other data comes as base64.',
    input: z.strictObject({
      id: z.string().min(1).max(200).describe('As a run names it: sha256:…'),
      offset: z.int().min(0).default(0).describe('The first byte to read.'),
      max_bytes: z
        .int()
        .min(1)
        .max(maxPageBytes)
        .default(defaultPageBytes)
        .describe('How many bytes to read at most.'),
    }),
    output: outputSchema,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    examples: [
      'show me the whole output of that step',
      'read the next page of the artifact',
      'open the big result of the run',
    ],
    run: async ({ id, offset, max_bytes }, { caller }) => ({
      ...(await artifacts.page(caller, id, { offset, maxBytes: max_bytes })),
    }),
    summarize: ({ text, base64, bytes, offset, nextOffset }) => {
      const rest =
        nextOffset === null ? '' : `\n[${bytes} bytes in all; go on with offset ${nextOffset}]`;
      return text === undefined
        ? `[base64 from ${offset}]\n${base64 ?? ''}${rest}`
        : `${text}${rest}`;
    },
  });
}
