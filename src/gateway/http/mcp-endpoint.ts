import { accepts, headerOf, readJsonBody, respondJson, type Refusal } from '../../http/index.ts';
import {
  checkSentHeaders,
  encodeError,
  judgeEra,
  statelessVersions,
  type Batch,
  type Message,
} from '../../protocol/index.ts';
import { receiveMessage } from '../receive-message.ts';
import { notAdmitted, refuse, rpcRefusal, type HttpCall, type HttpParts } from './http-parts.ts';
import { SessionEndpoint } from './session-endpoint.ts';
import { StatelessEndpoint } from './stateless-endpoint.ts';

/** `/mcp`: Streamable HTTP, each request in the era it declares. */
export class McpEndpoint {
  readonly sessions: SessionEndpoint;
  readonly #parts: HttpParts;
  readonly #stateless: StatelessEndpoint;

  constructor(parts: HttpParts) {
    this.#parts = parts;
    this.sessions = new SessionEndpoint(parts);
    this.#stateless = new StatelessEndpoint(parts);
  }

  serve(call: HttpCall): Promise<void> | undefined {
    const { method } = call.request;
    if (method === 'POST') return this.#post(call);
    const isStateless = isStatelessHeader(headerOf(call.request, 'mcp-protocol-version'));
    if (method === 'GET' && !isStateless) return this.sessions.listen(call);
    if (method === 'DELETE' && !isStateless) return this.sessions.leave(call);
    const headers = { allow: isStateless ? 'POST' : 'GET, POST, DELETE' };
    refuse(call, { status: 405, message: 'Method not allowed', headers });
    return undefined;
  }

  /** Clients open their streams at another instance. */
  drain(): void {
    this.sessions.endStreams();
    this.#stateless.endSubscriptions();
  }

  close(): void {
    this.sessions.close();
    this.#stateless.close();
  }

  async #post(call: HttpCall): Promise<void> {
    if (!accepts(call.request, 'application/json')) {
      refuse(call, { status: 406, message: 'A POST must accept application/json' });
      return;
    }
    const { limits, admission } = this.#parts;
    const length = headerOf(call.request, 'content-length');
    const unread = admission.bodyRefusal(length === undefined ? undefined : Number(length));
    if (unread) {
      refuse(call, notAdmitted(unread));
      return;
    }
    const maxBytes = limits.maxRequestBytes;
    const body = await readJsonBody(call, { maxBytes, refusals: rpcRefusal });
    if (body) await this.#route(receiveMessage(body, maxBytes), call);
  }

  #route(message: Message | Batch, call: HttpCall): Promise<void> | undefined {
    const { response } = call;
    const version = headerOf(call.request, 'mcp-protocol-version');
    if (message.kind === 'malformed') {
      respondJson(response, { status: 400, text: encodeError(message.id, message.error) });
      return undefined;
    }
    const refused = this.#admit(message, call);
    if (refused) {
      refuse(call, notAdmitted(refused, message.kind === 'request' ? message.id : null));
      return undefined;
    }
    // Before anything acts on the message: a proxy may have decided by its headers.
    if (message.kind === 'request' || message.kind === 'notification') {
      const error = checkSentHeaders(message, call.request.headers);
      if (error) {
        const { caller } = call;
        this.#parts.serving.onHeaderMismatch?.({ caller, method: message.method });
        const id = message.kind === 'request' ? message.id : null;
        respondJson(response, { status: 400, text: encodeError(id, error) });
        return undefined;
      }
    } else if (headerOf(call.request, 'mcp-method') !== undefined) {
      refuse(call, { status: 400, message: 'Mcp-Method is sent, and the body is not one message' });
      return undefined;
    }
    if (message.kind !== 'request') {
      if (!isStatelessHeader(version)) return this.sessions.post(message, call);
      // The stateless era defines no notification over HTTP; one is accepted and means nothing.
      if (message.kind === 'notification') response.writeHead(202).end();
      else refuse(call, { status: 400, message: 'The body must be one request' });
      return undefined;
    }
    const verdict = judgeEra(message, version);
    switch (verdict.kind) {
      case 'handshake':
        return this.sessions.post(message, call);
      case 'stateless':
        return this.#stateless.serve(message, call);
      case 'rejected':
        respondJson(response, { status: 400, text: encodeError(message.id, verdict.error) });
        return undefined;
    }
  }

  /** What ends a call is no call itself, and a subscription is none. */
  #admit(message: Message | Batch, { response, caller }: HttpCall): Refusal | undefined {
    const { admission } = this.#parts;
    if (message.kind === 'batch') return admission.enter(response, caller);
    if (message.kind !== 'request') return undefined;
    if (message.method === 'subscriptions/listen') return admission.refusal();
    return admission.enter(response, caller);
  }
}

function isStatelessHeader(version: string | undefined): boolean {
  return version !== undefined && statelessVersions.includes(version);
}
