import { z } from 'zod';
import type { Artifacts, ArtifactDescription } from '../../contract/artifact/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Resource, ResourceResult, ResourceTemplate } from '../../contract/resource/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { defineTool, type DefinedTool } from '../define-tool.ts';
import { NotFoundError } from '../errors.ts';
import texts from './tools.json' with { type: 'json' };

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
    ...texts.read_artifact,
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

/** The latest ones; all others can be read by their address. */
const maxListedArtifacts = 100;
/** Of one answer to `resources/read`; more is read with `read_artifact`. */
const maxReadBytes = 1024 * 1024;

/** A valid address everywhere: after `artifact://sha256:` many programs expect a port. */
const address = 'artifact://sha256/';
const addressPattern = /^artifact:\/\/sha256[/:]([0-9a-f]{64})$/;

export const artifactTemplates: readonly ResourceTemplate[] = [
  {
    uriTemplate: `${address}{digest}`,
    name: 'artifact',
    title: 'Output of a step',
    description: 'A big output of a run by the digits of its id.',
  },
];

export async function listArtifacts(
  artifacts: Pick<Artifacts, 'list'>,
  caller: Caller,
): Promise<readonly Resource[]> {
  const latest = await artifacts.list(caller, { limit: maxListedArtifacts });
  return latest.map(describeArtifact);
}

/** Its beginning where it is large: `_meta` of the answer then says where to go on. */
export async function readArtifact(
  artifacts: Pick<Artifacts, 'page'>,
  uri: string,
  { caller }: CallContext,
): Promise<ResourceResult> {
  const [, digest] = addressPattern.exec(uri) ?? [];
  if (digest === undefined) throw new NotFoundError('resource', uri, []);
  const range = { offset: 0, maxBytes: maxReadBytes };
  const page = await artifacts.page(caller, `sha256:${digest}`, range);
  const { id, bytes, mediaType, text, base64 = '', nextOffset } = page;
  const content = text === undefined ? { blob: base64 } : { text };
  return {
    contents: [{ uri, mimeType: mediaType, ...content }],
    ...(nextOffset !== null && { _meta: { 'tutti/artifact': { id, bytes, nextOffset } } }),
  };
}

function describeArtifact({ id, bytes, mediaType, lineage }: ArtifactDescription): Resource {
  const latest = lineage.at(-1);
  const maker = latest ? `${latest.step} of run ${latest.runId}` : id;
  return {
    uri: address + id.slice('sha256:'.length),
    name: maker,
    title: maker,
    ...(latest?.tool ? { description: `Made by ${latest.tool}` } : {}),
    mimeType: mediaType,
    size: bytes,
  };
}
