import {
  decodeMessage,
  defaultJsonLimits,
  encodeError,
  judgeEra,
  statelessVersions,
  type Batch,
  type Message,
} from '../../protocol/index.ts';
import { headerOf, type HttpCall, type HttpParts } from './http-parts.ts';
import { accepts } from './post-exchange.ts';
import { readJsonBody } from './read-body.ts';
import { refuse, respondJson } from './respond.ts';
import { SessionEndpoint } from './session-endpoint.ts';
import { StatelessEndpoint } from './stateless-endpoint.ts';

/** `/mcp`: Streamable HTTP, each request in the era it says it is of. */
export class McpEndpoint {
  readonly sessions: SessionEndpoint;
  readonly #parts: HttpParts;
  readonly #stateless: StatelessEndpoint;

  constructor(parts: HttpParts) {
    this.#parts = parts;
    this.sessions = new SessionEndpoint(parts);
    this.#stateless = new StatelessEndpoint(parts);
  }

  async serve(call: HttpCall): Promise<void> {
    const { method } = call.request;
    if (method === 'POST') {
      await this.#post(call);
      return;
    }
    const isStateless = isStatelessHeader(headerOf(call.request, 'mcp-protocol-version'));
    if (method === 'GET' && !isStateless) this.sessions.listen(call);
    else if (method === 'DELETE' && !isStateless) this.sessions.leave(call);
    else {
      const headers = { allow: isStateless ? 'POST' : 'GET, POST, DELETE' };
      refuse(call.response, { status: 405, message: 'Method not allowed', headers });
    }
  }

  close(): void {
    this.sessions.close();
    this.#stateless.close();
  }

  async #post(call: HttpCall): Promise<void> {
    const { request, response } = call;
    if (!accepts(request, 'application/json')) {
      refuse(response, { status: 406, message: 'A POST must accept application/json' });
      return;
    }
    const maxBytes = this.#parts.limits.maxRequestBytes;
    const body = await readJsonBody(request, response, maxBytes);
    if (body) await this.#route(decodeMessage(body, { ...defaultJsonLimits, maxBytes }), call);
  }

  async #route(message: Message | Batch, call: HttpCall): Promise<void> {
    const { response } = call;
    const version = headerOf(call.request, 'mcp-protocol-version');
    if (message.kind === 'malformed') {
      respondJson(response, { status: 400, text: encodeError(message.id, message.error) });
      return;
    }
    if (message.kind !== 'request') {
      if (!isStatelessHeader(version)) await this.sessions.post(message, call);
      // The stateless era defines no notification over HTTP; one is accepted and means nothing.
      else if (message.kind === 'notification') response.writeHead(202).end();
      else refuse(response, { status: 400, message: 'The body must be one request' });
      return;
    }
    const verdict = judgeEra(message, version);
    switch (verdict.kind) {
      case 'handshake':
        await this.sessions.post(message, call);
        return;
      case 'stateless':
        await this.#stateless.serve(message, call);
        return;
      case 'rejected':
        respondJson(response, { status: 400, text: encodeError(message.id, verdict.error) });
    }
  }
}

function isStatelessHeader(version: string | undefined): boolean {
  return version !== undefined && statelessVersions.includes(version);
}
