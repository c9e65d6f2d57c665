import { ModelEmptyAnswerError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import { badAnswer, refusePage } from './refuse-page.ts';
import { PlainHeaders } from './wire/plain-headers.ts';
import { WireResponse } from './wire/wire-response.ts';

/**
 * The response as the stream of events that was asked for: some servers ignore that and send the whole
 * answer as one JSON. Throws `models.bad_answer` where it is a page or no JSON.
 */
export async function asEventStream(
  response: WireResponse,
  endpoint: Endpoint,
): Promise<WireResponse> {
  const type = response.headers.get('content-type')?.toLowerCase() ?? '';
  if (!type.includes('json')) return refusePage(response, endpoint);
  const text = await response.text();
  const events = eventsOf(text, endpoint);
  if (events === undefined) throw badAnswer(type, text, endpoint);
  const headers = new PlainHeaders({ 'content-type': 'text/event-stream' });
  return new WireResponse(streamOf(Buffer.from(events)), { headers });
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

function eventsOf(text: string, endpoint: Endpoint): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof body !== 'object' || body === null) return undefined;
  if ('error' in body) return `data: ${JSON.stringify({ error: errorOf(body.error) })}\n\n`;
  if (!('choices' in body) || !Array.isArray(body.choices)) return undefined;
  const choices: readonly unknown[] = body.choices;
  const [choice] = choices;
  if (choice === undefined) {
    const reason = 'its list of choices is empty';
    throw new ModelEmptyAnswerError({ model: endpoint.model, reason });
  }
  if (typeof choice !== 'object' || choice === null || !('message' in choice)) return undefined;
  const reason = 'finish_reason' in choice ? choice.finish_reason : null;
  const chunk = { ...body, choices: [{ delta: choice.message, finish_reason: reason ?? 'stop' }] };
  return `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
}

function errorOf(error: unknown): object {
  return typeof error === 'object' && error !== null ? error : { message: String(error) };
}

const done = '[DONE]';

/** The same response; tells when the stream says that it is complete. */
export function endsWithDone(response: WireResponse, onDone: () => void): WireResponse {
  if (response.body === null) return response;
  let tail = '';
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      tail = `${tail}${Buffer.from(piece.subarray(-32)).toString('latin1')}`.slice(-32);
      controller.enqueue(piece);
    },
    flush() {
      if (tail.includes(done)) onDone();
    },
  });
  return new WireResponse(response.body.pipeThrough(watch), { headers: response.headers });
}
