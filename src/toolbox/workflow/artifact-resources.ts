import type { ArtifactDescription, Artifacts } from '../../contract/artifact/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import type { Resource, ResourceResult, ResourceTemplate } from '../../contract/resource/index.ts';
import type { CallContext } from '../../contract/server/index.ts';
import { NotFoundError } from '../errors.ts';

/** The latest ones; all others can be read by their address. */
const maxListed = 100;
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
  const latest = await artifacts.list(caller, { limit: maxListed });
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
