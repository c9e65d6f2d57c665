import { accepts, EventStream, headerOf, respondJson } from '../../http/index.ts';
import {
  allowsBatches,
  encodeError,
  findHandshakeVersion,
  handshakeVersions,
  rpcErrorCode,
  type Batch,
  type Malformed,
  type Message,
  type Request,
} from '../../protocol/index.ts';
import { explainFailure } from '../rpc-failure.ts';
import { answerBatch } from '../pipe-connection.ts';
import { answerOf, refuse, type HttpCall, type HttpParts } from './http-parts.ts';
import { PostExchange } from './post-exchange.ts';
import { HttpSessions, type HttpSession } from './sessions.ts';

/** Streamable HTTP of the handshake era: POST to send, GET to listen, DELETE to end the session. */
export class SessionEndpoint {
  readonly #parts: HttpParts;
  readonly #sessions: HttpSessions;

  constructor(parts: HttpParts) {
    this.#parts = parts;
    this.#sessions = new HttpSessions(parts);
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  post(message: Exclude<Message, Malformed> | Batch, call: HttpCall): Promise<void> | undefined {
    if (message.kind === 'request' && message.method === 'initialize') {
      return this.#initialize(message, call);
    }
    const found = this.#find(call);
    if (!found) return undefined;
    switch (message.kind) {
      case 'request':
        return this.#answer(message, found, call);
      case 'batch':
        return this.#answerBatch(message, found, call);
      case 'notification':
        found.session.accept(message);
        call.response.writeHead(202).end();
        return undefined;
      case 'response':
        found.session.settle(message);
        call.response.writeHead(202).end();
        return undefined;
    }
  }

  /** Opens the stream for messages outside any request. */
  listen(call: HttpCall): void {
    if (!accepts(call.request, 'text/event-stream')) {
      refuse(call, { status: 406, message: 'A GET must accept text/event-stream' });
      return;
    }
    const found = this.#find(call);
    if (!found) return;
    if (found.stream) {
      refuse(call, {
        status: 409,
        message: 'This session has an open GET stream already',
      });
      return;
    }
    const stream = new EventStream(call.response, this.#parts.limits);
    found.stream = stream;
    call.response.once('close', () => {
      found.stream = undefined;
      found.usedAt = this.#parts.clock.now();
    });
  }

  leave(call: HttpCall): void {
    const found = this.#find(call);
    if (!found) return;
    this.#sessions.end(found);
    call.response.writeHead(204).end();
  }

  endIdle(): void {
    this.#sessions.endIdle();
  }

  close(): void {
    this.#sessions.close();
  }

  async #initialize(request: Request, call: HttpCall): Promise<void> {
    if (headerOf(call.request, 'mcp-session-id') !== undefined) {
      const found = this.#find(call);
      if (found) await this.#answer(request, found, call);
      return;
    }
    let created: HttpSession;
    try {
      created = this.#sessions.create(call.caller);
    } catch (thrown) {
      const { log } = this.#parts.serving;
      const error = explainFailure(thrown, {
        method: request.method,
        era: 'handshake',
        subject: undefined,
        log,
      });
      respondJson(call.response, { status: 503, text: encodeError(request.id, error) });
      return;
    }
    const reply = await created.session.answer(request, {
      caller: call.caller,
      send: () => false,
    });
    if (!reply || reply.errorCode !== undefined) this.#sessions.end(created);
    if (!reply) return;
    const headers = reply.errorCode === undefined ? { 'mcp-session-id': created.id } : {};
    respondJson(call.response, { status: 200, text: reply.text, headers });
  }

  async #answer(request: Request, found: HttpSession, call: HttpCall): Promise<void> {
    const exchange = new PostExchange(call, this.#parts);
    const reply = await found.session.answer(request, exchange);
    found.usedAt = this.#parts.clock.now();
    if (reply) exchange.finish(answerOf(reply, 200, this.#parts));
    else exchange.abandon();
  }

  async #answerBatch(batch: Batch, found: HttpSession, call: HttpCall): Promise<void> {
    const { version } = found.session;
    if (!allowsBatches(version)) {
      const message = `Batches are not part of protocol version ${version}`;
      refuse(call, { status: 400, message });
      return;
    }
    const exchange = new PostExchange(call, this.#parts);
    const texts = await answerBatch(batch, found.session, exchange);
    found.usedAt = this.#parts.clock.now();
    if (texts.length === 0) exchange.abandon();
    else exchange.finish({ status: 200, text: `[${texts.join(',')}]` });
  }

  /** The session of a request; refuses the request when there is none or the version is unknown. */
  #find(call: HttpCall): HttpSession | undefined {
    const { request, caller } = call;
    const version = headerOf(request, 'mcp-protocol-version');
    if (version !== undefined && !findHandshakeVersion(version)) {
      const message = `Unsupported protocol version. Sessions speak ${handshakeVersions.join(', ')}`;
      refuse(call, { status: 400, message });
      return undefined;
    }
    const id = headerOf(request, 'mcp-session-id');
    if (id === undefined) {
      const message = 'Header Mcp-Session-Id is missing: send "initialize" first';
      refuse(call, { status: 400, message });
      return undefined;
    }
    const found = this.#sessions.find(id, caller);
    if (!found) {
      const message = 'Unknown or expired session: send "initialize" again';
      const error = { code: rpcErrorCode.invalidRequest, message };
      refuse(call, { status: 404, message, error });
    }
    return found;
  }
}
