import { ModelEndlessAnswerError, ModelTimeoutError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import { failureOfStatus } from './failure-of-status.ts';
import { failureOfWire } from './failure-of-wire.ts';

const maxErrorBytes = 65_536;

/**
 * Asks over HTTP, and ends what does not end by itself: a body that stalls or grows without limit. Gives
 * responses of status 200 to 299 only; everything else is thrown as a `ModelCallError`, or as the signal's reason.
 */
export async function guardedFetch(
  url: string,
  init: RequestInit,
  endpoint: Endpoint,
): Promise<Response> {
  const response = await reach(url, init, endpoint);
  const { status, headers } = response;
  if (!response.ok) {
    const body = await readBeginning(response, endpoint);
    init.signal?.throwIfAborted();
    throw failureOfStatus({ status, headers, body }, endpoint);
  }
  return new Response(watchBody(response, init, endpoint), { status, headers });
}

async function reach(url: string, init: RequestInit, endpoint: Endpoint): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual' });
  } catch (error) {
    init.signal?.throwIfAborted();
    throw failureOfWire(error, endpoint, { isAnswering: false });
  }
}

/** As much of an error as fits and comes in time: its status says enough. */
async function readBeginning(response: Response, endpoint: Endpoint): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < maxErrorBytes) {
      const { done, value } = await nextPiece(reader, endpoint);
      if (done) break;
      pieces.push(value);
      bytes += value.length;
    }
  } catch {
    // What came before it broke off or stood still is told.
  }
  void reader.cancel().catch(() => undefined);
  return Buffer.concat(pieces).subarray(0, maxErrorBytes).toString('utf8');
}

/** The same bytes, with an end put to a stream that goes on for too long or stands still. */
function watchBody(
  response: Response,
  init: RequestInit,
  endpoint: Endpoint,
): ReadableStream<Uint8Array> | null {
  if (response.body === null) return null;
  const reader = response.body.getReader();
  let bytes = 0;
  const end = (controller: ReadableStreamDefaultController, error: unknown): void => {
    controller.error(error);
    void reader.cancel().catch(() => undefined);
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        // Before the first piece it reads and thinks, for which it has the time of the whole call.
        const { done, value } = await (bytes === 0 ? reader.read() : nextPiece(reader, endpoint));
        if (done) {
          controller.close();
          return;
        }
        bytes += value.length;
        if (bytes > endpoint.limits.maxWireBytes) throw tooMuch(endpoint);
        controller.enqueue(value);
      } catch (error) {
        const reason: unknown = init.signal?.aborted ? init.signal.reason : undefined;
        end(controller, reason ?? failureOfWire(error, endpoint, { isAnswering: true }));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

type Piece = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>;

async function nextPiece(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { model, limits }: Endpoint,
): Promise<Piece> {
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<never>((_resolve, reject) => {
    const reason = `nothing came for ${limits.idleMs} ms in the middle of its answer`;
    timer = setTimeout(() => reject(new ModelTimeoutError({ model, reason })), limits.idleMs);
  });
  try {
    return await Promise.race([reader.read(), stalled]);
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
