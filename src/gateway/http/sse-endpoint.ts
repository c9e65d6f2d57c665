import { randomUUID } from 'node:crypto';
import { PipeConnection } from '../pipe-connection.ts';
import { receiveMessage } from '../receive-message.ts';
import { EventStream } from './event-stream.ts';
import type { HttpCall, HttpParts } from './http-parts.ts';
import { readJsonBody } from './read-body.ts';
import { refuse } from './respond.ts';

export const messagesPath = '/messages';

interface OpenStream {
  readonly connection: PipeConnection;
  readonly stream: EventStream;
}

/** The HTTP+SSE transport of 2024-11-05: one GET stream carries every answer, POSTs carry requests. */
export class SseEndpoint {
  readonly #parts: HttpParts;
  readonly #open = new Map<string, OpenStream>();

  constructor(parts: HttpParts) {
    this.#parts = parts;
  }

  listen({ response }: HttpCall): void {
    const { limits, serving } = this.#parts;
    if (this.#open.size >= limits.maxSessions) {
      refuse(response, { status: 503, message: `${limits.maxSessions} streams are open already` });
      return;
    }
    const id = randomUUID();
    const stream = new EventStream(response, limits);
    const connection = new PipeConnection(serving, (text) => stream.send(text));
    this.#open.set(id, { connection, stream });
    response.once('close', () => {
      this.#open.delete(id);
      connection.close();
    });
    stream.send(`${messagesPath}?sessionId=${id}`, 'endpoint');
  }

  async post(call: HttpCall, query: URLSearchParams): Promise<void> {
    const found = this.#open.get(query.get('sessionId') ?? '');
    if (!found) {
      refuse(call.response, { status: 404, message: 'No stream is open for this sessionId' });
      return;
    }
    const { maxRequestBytes } = this.#parts.limits;
    const body = await readJsonBody(call.request, call.response, maxRequestBytes);
    if (!body) return;
    const message = receiveMessage(body, maxRequestBytes);
    if (message.kind === 'malformed' && message.id === null) {
      refuse(call.response, { status: 400, message: '', error: message.error });
      return;
    }
    call.response.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted');
    found.connection.receive(message);
  }

  close(): void {
    for (const { connection, stream } of this.#open.values()) {
      connection.close();
      stream.end();
    }
  }
}
