import { randomUUID } from 'node:crypto';
import { EventStream, queryOf, readJsonBody } from '../../http/index.ts';
import type { Caller } from '../../contract/caller/index.ts';
import { checkSentHeaders } from '../../protocol/index.ts';
import { PipeConnection } from '../pipe-connection.ts';
import { receiveMessage } from '../receive-message.ts';
import { notAdmitted, refuse, rpcRefusal, type HttpCall, type HttpParts } from './http-parts.ts';

export const messagesPath = '/messages';

interface OpenStream {
  readonly caller: Caller;
  readonly connection: PipeConnection;
  readonly stream: EventStream;
}

/** The HTTP+SSE transport of 2024-11-05: one GET stream carries all responses, POSTs carry requests. */
export class SseEndpoint {
  readonly #parts: HttpParts;
  readonly #open = new Map<string, OpenStream>();

  constructor(parts: HttpParts) {
    this.#parts = parts;
  }

  listen(call: HttpCall): void {
    const { response, caller } = call;
    const { limits, serving, admission } = this.#parts;
    const refused = admission.refusal();
    if (refused) {
      refuse(call, notAdmitted(refused));
      return;
    }
    if (this.#open.size >= limits.maxSessions) {
      refuse(call, { status: 503, message: `${limits.maxSessions} streams are open already` });
      return;
    }
    const id = randomUUID();
    const stream = new EventStream(response, limits);
    const connection = new PipeConnection({ serving, caller }, (text) => stream.send(text));
    this.#open.set(id, { caller, connection, stream });
    response.once('close', () => {
      this.#open.delete(id);
      connection.close();
    });
    stream.send(`${messagesPath}?sessionId=${id}`, 'endpoint');
  }

  async post(call: HttpCall): Promise<void> {
    const found = this.#open.get(queryOf(call.request).get('sessionId') ?? '');
    if (found?.caller.id !== call.caller.id) {
      refuse(call, { status: 404, message: 'No stream is open for this sessionId' });
      return;
    }
    const { maxRequestBytes } = this.#parts.limits;
    const body = await readJsonBody(call, {
      maxBytes: maxRequestBytes,
      refusals: rpcRefusal,
    });
    if (!body) return;
    const message = receiveMessage(body, maxRequestBytes);
    if (message.kind === 'malformed' && message.id === null) {
      refuse(call, { status: 400, message: '', error: message.error });
      return;
    }
    if (message.kind === 'request' || message.kind === 'notification') {
      const error = checkSentHeaders(message, call.request.headers);
      if (error) {
        refuse(call, { status: 400, message: '', error });
        return;
      }
    }
    const refused = message.kind === 'request' ? this.#parts.admission.refusal() : undefined;
    if (refused) {
      refuse(call, notAdmitted(refused));
      return;
    }
    call.response.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted');
    found.connection.receive(message);
  }

  /** Resolves when every request has its answer, or after `limitMs`. */
  async untilIdle(limitMs: number): Promise<void> {
    const open = [...this.#open.values()];
    await Promise.all(open.map(({ connection }) => connection.untilIdle(limitMs)));
  }

  close(): void {
    for (const { connection, stream } of this.#open.values()) {
      connection.close();
      stream.end();
    }
  }
}
