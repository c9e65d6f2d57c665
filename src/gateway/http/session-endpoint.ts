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
  type Notification,
  type Request,
  type Response,
} from '../../protocol/index.ts';
import { errorReply } from '../answer-request.ts';
import type { HandshakeSession } from '../handshake-session.ts';
import { explainFailure, invalidParams } from '../rpc-failure.ts';
import { answerBatch } from '../pipe-connection.ts';
import { answerOf, notAdmitted, refuse, type HttpCall, type HttpParts } from './http-parts.ts';
import { PostExchange } from './post-exchange.ts';
import { HttpSessions, type HttpSession } from './sessions.ts';

const retryAfterSeconds = '1';
const tooLong = invalidParams('"capabilities" is too long to be kept in a session id');

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
    if (
      message.kind === 'request' &&
      message.method === 'initialize' &&
      headerOf(call.request, 'mcp-session-id') === undefined
    ) {
      return this.#initialize(message, call);
    }
    return this.#withSession(call, (found) => this.#serve(message, found, call));
  }

  #serve(
    message: Exclude<Message, Malformed> | Batch,
    found: HttpSession,
    call: HttpCall,
  ): Promise<void> | undefined {
    switch (message.kind) {
      case 'request':
        return this.#answer(message, found, call);
      case 'batch':
        return this.#answerBatch(message, found, call);
      case 'notification':
      case 'response':
        this.#sessions.accept(found, message);
        call.response.writeHead(202).end();
        return undefined;
    }
  }

  /** Opens the stream for messages outside any request. */
  listen(call: HttpCall): Promise<void> | undefined {
    if (!accepts(call.request, 'text/event-stream')) {
      refuse(call, { status: 406, message: 'A GET must accept text/event-stream' });
      return undefined;
    }
    const refused = this.#parts.admission.refusal();
    if (refused) {
      refuse(call, notAdmitted(refused));
      return undefined;
    }
    return this.#withSession(call, (found) => this.#openStream(found, call));
  }

  leave(call: HttpCall): Promise<void> | undefined {
    return this.#withSession(call, async (found) => {
      await this.#sessions.end(found);
      call.response.writeHead(204).end();
    });
  }

  endStreams(): void {
    this.#sessions.endStreams();
  }

  closeIdle(): void {
    this.#sessions.closeIdle();
  }

  close(): void {
    this.#sessions.close();
  }

  #openStream(found: HttpSession, call: HttpCall): undefined {
    if (found.stream) {
      refuse(call, {
        status: 409,
        message: 'This session has an open GET stream already',
      });
      return undefined;
    }
    const stream = new EventStream(call.response, this.#parts.limits);
    found.stream = stream;
    call.response.once('close', () => {
      found.stream = undefined;
      found.usedAt = this.#parts.clock.now();
    });
    return undefined;
  }

  async #initialize(request: Request, call: HttpCall): Promise<void> {
    const { caller, response } = call;
    let session: HandshakeSession;
    try {
      session = await this.#sessions.create(caller);
    } catch (thrown) {
      this.#refuseFull(thrown, call, request);
      return;
    }
    const reply = await session.answer(request, { caller, send: () => false });
    if (reply?.errorCode === undefined) {
      const kept = reply && this.#sessions.keep(session, caller);
      if (kept) {
        respondJson(response, {
          status: 200,
          text: reply.text,
          headers: { 'mcp-session-id': kept.id },
        });
        return;
      }
    }
    session.close();
    if (!reply) return;
    const { text } = reply.errorCode === undefined ? errorReply(request, tooLong.error) : reply;
    respondJson(response, { status: 200, text });
  }

  /** Too many sessions are in use, or the store cannot be read. */
  #refuseFull(thrown: unknown, { response }: HttpCall, request?: Request): void {
    const { log } = this.#parts.serving;
    const method = request?.method ?? 'session';
    const error = explainFailure(thrown, { method, era: 'handshake', subject: undefined, log });
    const headers = { 'retry-after': retryAfterSeconds };
    respondJson(response, { status: 503, text: encodeError(request?.id ?? null, error), headers });
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
    const texts = await answerBatch(batch, this.#batchSession(found), exchange);
    found.usedAt = this.#parts.clock.now();
    if (texts.length === 0) exchange.abandon();
    else exchange.finish({ status: 200, text: `[${texts.join(',')}]` });
  }

  #batchSession(found: HttpSession): Parameters<typeof answerBatch>[1] {
    const accept = (message: Notification | Response): boolean => {
      this.#sessions.accept(found, message);
      return true;
    };
    return {
      answer: (request, origin) => found.session.answer(request, origin),
      accept,
      settle: accept,
    };
  }

  /** Serves a request with its session; refuses it when there is none or the version is unknown. */
  #withSession(
    call: HttpCall,
    serve: (found: HttpSession) => Promise<void> | undefined,
  ): Promise<void> | undefined {
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
    const held = this.#sessions.held(id, caller);
    return held ? serve(held) : this.#openFirst(id, call, serve);
  }

  async #openFirst(
    id: string,
    call: HttpCall,
    serve: (found: HttpSession) => Promise<void> | undefined,
  ): Promise<void> {
    let opened: HttpSession | undefined;
    try {
      opened = await this.#sessions.open(id, call.caller);
    } catch (thrown) {
      this.#refuseFull(thrown, call);
      return;
    }
    if (opened) {
      await serve(opened);
      return;
    }
    const message = 'Unknown or expired session: send "initialize" again';
    const error = { code: rpcErrorCode.invalidRequest, message };
    refuse(call, { status: 404, message, error });
  }
}
