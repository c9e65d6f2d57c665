import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import {
  type ArtifactDescription,
  artifactSchema,
  type Artifacts,
} from '../../contract/artifact/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import { headerOf } from '../../http/index.ts';
import { type ApiRoute, idParam, routesOf } from '../define-route.ts';
import { NotFoundError, UnsatisfiableRangeError } from '../errors.ts';
import { pageAfter, pageOf, pageQuery } from '../page.ts';
import { drained, hasTag } from '../send-answer.ts';

const { get } = routesOf('Artifacts');
/** Artifacts that a list reaches. */
const maxListed = 1_000;
const pageBytes = 768 * 1024;

const byArtifact = z.strictObject({ id: idParam });

export const artifactRoutes: readonly ApiRoute[] = [
  get('/artifacts', {
    summary: 'List artifacts, latest first',
    permission: 'artifacts.read',
    query: z.strictObject({ ...pageQuery, runId: z.string().min(1).max(100).optional() }),
    answer: pageOf(artifactSchema),
    async handle({ caller, query }, { artifacts }) {
      const { runId } = query;
      const limit = maxListed;
      const filter = runId === undefined ? { limit } : { limit, runId };
      const found = await (await artifacts()).list(caller, filter);
      return pageAfter(found, query, ({ id }) => id);
    },
  }),
  get('/artifacts/{id}', {
    summary: 'Describe an artifact and what made it',
    permission: 'artifacts.read',
    params: byArtifact,
    answer: artifactSchema,
    handle: async ({ caller, params }, { artifacts }) => find(await artifacts(), caller, params.id),
  }),
  get('/artifacts/{id}/content', {
    summary: 'Read the bytes of an artifact',
    description:
      'Takes one range (`Range: bytes=0-99`). Text is sent as `text/plain`, all else as a download: a browser never runs it.',
    permission: 'artifacts.read',
    params: byArtifact,
    mediaType: 'application/octet-stream',
    answer: z.string(),
    async serve({ caller, params }, ports, { request, response }) {
      const artifacts = await ports.artifacts();
      const { id, bytes, mediaType } = await find(artifacts, caller, params.id);
      const etag = `"${id}"`;
      const headers = {
        ...contentHeaders(mediaType),
        etag,
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-cache',
      };
      if (hasTag(request.headers['if-none-match'], etag)) {
        response.writeHead(304, headers).end();
        return;
      }
      const ifRange = headerOf(request, 'if-range');
      const isUsable = ifRange === undefined || ifRange === etag;
      const range = isUsable ? readRange(headerOf(request, 'range'), bytes) : undefined;
      const [start, end] = range ?? [0, bytes];
      response.writeHead(range ? 206 : 200, {
        ...headers,
        'content-length': end - start,
        ...(range && { 'content-range': `bytes ${start}-${end - 1}/${bytes}` }),
      });
      if (request.method !== 'HEAD')
        await sendBytes(response, { artifacts, caller, id, start, end });
      response.end();
    },
  }),
];

/** The media type was said by a tool: what a browser would run is not sent as such. */
function contentHeaders(mediaType: string): Record<string, string> {
  const isText = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|yaml|xml)\b)/i.test(mediaType);
  return {
    'content-type': isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
    'x-artifact-media-type': mediaType.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 200),
    'content-disposition': isText ? 'inline' : 'attachment',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  };
}

/** First byte and the one after the last; undefined where there is no range, or several, which may be ignored. */
function readRange(
  header: string | undefined,
  bytes: number,
): readonly [number, number] | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1);
  const isBackwards = first !== '' && last !== '' && Number(last) < Number(first);
  if (isBackwards) return undefined;
  if (start >= bytes || start >= end) throw new UnsatisfiableRangeError(header ?? '', bytes);
  return [start, end];
}

interface ByteRange {
  readonly artifacts: Artifacts;
  readonly caller: Caller;
  readonly id: string;
  readonly start: number;
  readonly end: number;
}

/** Page by page, at the pace of the client. Pages of text begin and end between characters, so edges are cut. */
async function sendBytes(response: ServerResponse, range: ByteRange): Promise<void> {
  const { artifacts, caller, id, start, end } = range;
  for (let at = start; at < end && !response.destroyed;) {
    const maxBytes = Math.min(pageBytes, end - at);
    const page = await artifacts.page(caller, id, { offset: at, maxBytes });
    const content =
      page.base64 === undefined ? Buffer.from(page.text ?? '') : Buffer.from(page.base64, 'base64');
    const part = content.subarray(at - page.offset, end - page.offset);
    if (part.length === 0) break;
    at += part.length;
    response.write(part);
    await drained(response);
  }
}

async function find(
  artifacts: Artifacts,
  caller: Caller,
  id: string,
): Promise<ArtifactDescription> {
  if (!/^sha256:[0-9a-f]{64}$/.test(id)) throw new NotFoundError('artifact', id);
  return artifacts.describe(caller, id);
}
