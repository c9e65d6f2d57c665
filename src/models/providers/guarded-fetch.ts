import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { z } from 'zod';
import { isModelFailure, ModelCallError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import { failureOfStatus, failureOfWire } from './failures.ts';
import { PlainHeaders } from './plain-headers.ts';

const maxErrorBytes = 65_536;

/**
 * Asks over HTTP, and ends what does not end by itself: a body that stalls or grows without limit. Gives
 * responses of status 200 to 299 only; everything else is thrown as a `ModelCallError`, or as the signal's reason.
 */
export async function guardedFetch(
  url: string,
  request: WireRequest,
  endpoint: Endpoint,
): Promise<WireResponse> {
  const answer = await reach(url, request, endpoint);
  const { status } = answer;
  const headers = headersOf(answer);
  if (status < 200 || status > 299) {
    const body = await readBeginning(answer.body, endpoint);
    request.signal?.throwIfAborted();
    throw failureOfStatus({ status, headers, body }, endpoint);
  }
  const body = status === noContent ? null : watchBody(answer.body, request, endpoint);
  return new WireResponse(body, { status, headers });
}

const noContent = 204;

/** What the AI SDK hands to `fetch`: it sends JSON with plain headers. */
export function wireRequestOf({ method, headers, body, signal }: RequestInit): WireRequest {
  return {
    method: method ?? 'GET',
    // Of the types that `fetch` takes it uses the plain record.
    headers: { ...(headers as Record<string, string> | undefined) },
    ...(typeof body === 'string' && { body }),
    ...(signal && { signal }),
  };
}

async function reach(url: string, request: WireRequest, endpoint: Endpoint): Promise<WireAnswer> {
  try {
    return await sendRequest(url, request);
  } catch (error) {
    request.signal?.throwIfAborted();
    throw failureOfWire(error, endpoint, { isAnswering: false });
  }
}

function headersOf({ headers }: WireAnswer): PlainHeaders {
  const plain = new PlainHeaders();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain.set(name, typeof value === 'string' ? value : value.join(', '));
  }
  return plain;
}

/** As much of an error as fits and comes in time: its status says enough. */
async function readBeginning(body: Readable, endpoint: Endpoint): Promise<string> {
  const pieces = piecesOf(body);
  const read: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < maxErrorBytes) {
      const { done, value } = await nextPiece(pieces, endpoint);
      if (done) break;
      read.push(value);
      bytes += value.length;
    }
  } catch {
    // The text up to the failure is reported.
  }
  body.destroy();
  return Buffer.concat(read).subarray(0, maxErrorBytes).toString('utf8');
}

/** The same bytes, with an end put to a stream that goes on for too long or stands still. */
function watchBody(
  body: Readable,
  { signal }: WireRequest,
  endpoint: Endpoint,
): ReadableStream<Uint8Array> {
  const pieces = piecesOf(body);
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        // Before the first piece it reads and thinks, for which it has the time of the whole call.
        const { done, value } = await (bytes === 0 ? pieces.next() : nextPiece(pieces, endpoint));
        if (done) {
          controller.close();
          return;
        }
        bytes += value.length;
        if (bytes > endpoint.limits.maxWireBytes) throw tooMuch(endpoint);
        controller.enqueue(value);
      } catch (error) {
        const reason: unknown = signal?.aborted ? signal.reason : undefined;
        controller.error(reason ?? failureOfWire(error, endpoint, { isAnswering: true }));
        body.destroy();
      }
    },
    cancel: () => void body.destroy(),
  });
}

type Pieces = AsyncIterator<Uint8Array, undefined>;

function piecesOf(body: Readable): Pieces {
  // Without an encoding and without object mode a stream gives bytes.
  return body[Symbol.asyncIterator]() as Pieces;
}

async function nextPiece(
  pieces: Pieces,
  { model, limits }: Endpoint,
): Promise<IteratorResult<Uint8Array, undefined>> {
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<never>((_resolve, reject) => {
    const reason = `nothing came for ${limits.idleMs} ms in the middle of its answer`;
    timer = setTimeout(
      () => reject(new ModelCallError('models.timeout', { model, reason })),
      limits.idleMs,
    );
  });
  try {
    return await Promise.race([pieces.next(), stalled]);
  } finally {
    clearTimeout(timer);
  }
}

function tooMuch({ model, limits }: Endpoint): ModelCallError {
  return new ModelCallError('models.endless_answer', {
    model,
    reason: `more than ${limits.maxWireBytes} bytes came, so it was cut off`,
  });
}

interface WireRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Destroying it ends the connection. */
  readonly body: Readable;
}

/** Much shorter than the system's own limit. */
const connectMs = 10_000;

/**
 * Sends a request and gives its response, whatever its status; redirects are not followed. Connections are kept for the next
 * request, proxies and certificates are those that Node's own settings name.
 */
export async function sendRequest(url: string, wanted: WireRequest): Promise<WireAnswer> {
  const isSecure = new URL(url).protocol === 'https:';
  const request = isSecure ? (await import('node:https')).request : plainRequest;
  const { method, body, signal } = wanted;
  signal?.throwIfAborted();
  const headers = { accept: '*/*', 'accept-encoding': 'identity', ...wanted.headers };
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method, headers, ...(signal && { signal }) }, resolve);
    sent.on('error', reject);
    limitConnecting(sent, isSecure ? 'secureConnect' : 'connect');
    sent.end(body);
  });
  const status = incoming.statusCode ?? 0;
  return { status, headers: incoming.headers, body: await unpacked(incoming) };
}

function limitConnecting(sent: ClientRequest, connected: 'connect' | 'secureConnect'): void {
  const timer = setTimeout(() => {
    const late = new Error(`No connection within ${connectMs} ms`);
    sent.destroy(Object.assign(late, { code: 'ETIMEDOUT' }));
  }, connectMs);
  const stop = (): void => clearTimeout(timer);
  sent.once('close', stop);
  sent.once('socket', (socket) => {
    if (socket.connecting) socket.once(connected, stop);
    else stop();
  });
}

/** Some servers and proxies compress although the request does not allow it. */
async function unpacked(incoming: IncomingMessage): Promise<Readable> {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return incoming;
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib');
  const unpackers: Readonly<Record<string, () => Transform>> = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  };
  const unpacker = unpackers[encoding]?.();
  // Errors reach the reader of the unpacked bytes.
  return unpacker ? pipeline(incoming, unpacker, () => undefined) : incoming;
}

interface WireResponseParts {
  readonly status?: number;
  readonly headers: PlainHeaders;
}

/** As much of the platform's `Response` as the AI SDK and we read; see `PlainHeaders` for why it is not that one. */
export class WireResponse {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly status: number;
  readonly headers: PlainHeaders;
  readonly statusText = '';

  constructor(body: ReadableStream<Uint8Array> | null, { status, headers }: WireResponseParts) {
    this.body = body;
    this.status = status ?? 200;
    this.headers = headers;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  async text(): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.body ?? []) pieces.push(piece);
    return new TextDecoder().decode(Buffer.concat(pieces));
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

/** For the AI SDK, which wants the platform's type. */
export function asPlatformResponse(response: WireResponse): Response {
  // It reads `ok`, `status`, `statusText`, `headers` (`get`, iteration) and `body` alone, all of which are there.
  return response as unknown as Response;
}

const listSchema = z.object({ data: z.array(z.object({ id: z.string() })) });
const maxShown = 5;

/** The models a server lists; null where it has no such list. */
export async function listModels(
  url: string,
  request: Omit<WireRequest, 'method'>,
  endpoint: Endpoint,
): Promise<readonly string[] | null> {
  try {
    const response = await guardedFetch(url, { ...request, method: 'GET' }, endpoint);
    const parsed = listSchema.safeParse(await response.json());
    return parsed.success ? parsed.data.data.map(({ id }) => id) : null;
  } catch (error) {
    request.signal?.throwIfAborted();
    if (isModelFailure(error, 'models.not_found') || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** What keeps the model from being asked; null when nothing is known to. */
export async function problemOf(
  listing: Promise<readonly string[] | null>,
  id: string | null,
): Promise<string | null> {
  try {
    const listed = await listing;
    if (listed === null || id === null) return listed?.length === 0 ? noModel : null;
    if (listed.includes(id) || listed.includes(`${id}:latest`)) return null;
    const others = listed.slice(0, maxShown).join(', ');
    return `the server has no model "${id}"${others === '' ? '' : `; it has ${others}`}`;
  } catch (error) {
    // Its name stands beside what is said of it.
    if (error instanceof ModelCallError)
      return error.message.replace(`Model ${error.model} `, 'it ');
    throw error;
  }
}

const noModel = 'the server has no model yet; load one';
