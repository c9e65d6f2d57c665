import type { Readable } from 'node:stream';
import { ModelEndlessAnswerError, ModelTimeoutError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import { failureOfStatus } from './failure-of-status.ts';
import { failureOfWire } from './failure-of-wire.ts';
import { PlainHeaders } from './wire/plain-headers.ts';
import { sendRequest, type WireAnswer, type WireRequest } from './wire/send-request.ts';
import { WireResponse } from './wire/wire-response.ts';

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
    // What came before it broke off or stood still is told.
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
    timer = setTimeout(() => reject(new ModelTimeoutError({ model, reason })), limits.idleMs);
  });
  try {
    return await Promise.race([pieces.next(), stalled]);
  } finally {
    clearTimeout(timer);
  }
}

function tooMuch({ model, limits }: Endpoint): ModelEndlessAnswerError {
  return new ModelEndlessAnswerError({
    model,
    reason: `more than ${limits.maxWireBytes} bytes came, so it was cut off`,
  });
}
