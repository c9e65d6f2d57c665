import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import { silentLog, type Log } from '../../src/kernel/index.ts';
import { createHttpGateway, type HttpGatewayOptions } from '../../src/gateway/index.ts';
import { FixtureServer } from './fixture-server.ts';
import { sharedSessions } from './memory-client-sessions.ts';
import { statelessMeta, type Json } from './stdio-peer.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  readonly json: Json;
}

export interface HttpAsk {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer | Json;
}

export interface StreamInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const bothTypes = 'application/json, text/event-stream';

/** A peer that stops with the test that started it. */
export async function aPeer(options: Partial<HttpGatewayOptions> = {}): Promise<HttpPeer> {
  const peer = await HttpPeer.start(options);
  onTestFinished(() => peer.stop());
  return peer;
}

/** A running gateway over a fixture server, and a client that can say anything to it. */
export class HttpPeer {
  readonly server: FixtureServer;
  readonly gateway: Awaited<ReturnType<typeof createHttpGateway>>;
  readonly logged: string[];

  private constructor(parts: Pick<HttpPeer, 'server' | 'gateway' | 'logged'>) {
    this.server = parts.server;
    this.gateway = parts.gateway;
    this.logged = parts.logged;
  }

  static async start(options: Partial<HttpGatewayOptions> = {}): Promise<HttpPeer> {
    const server = new FixtureServer();
    const logged: string[] = [];
    const log: Log = { ...silentLog, error: (message) => void logged.push(message) };
    const gateway = await createHttpGateway({
      server,
      sessions: sharedSessions(),
      log,
      version: '4.5.6',
      host: '127.0.0.1',
      port: 0,
      ...options,
    });
    return new HttpPeer({ server, gateway, logged });
  }

  /** One request with just the headers given; `fetch` would not let a test forge `Host`. */
  send({ method = 'POST', path = '/mcp', headers = {}, body }: HttpAsk = {}): Promise<HttpAnswer> {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body) || body === undefined;
    return new Promise((resolve, reject) => {
      const sent = request({ port: this.gateway.port, host: '127.0.0.1', method, path, headers });
      sent.once('error', reject);
      sent.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: toJson(text),
          }),
        );
      });
      sent.end(isRaw ? body : JSON.stringify(body));
    });
  }

  /** A JSON POST to `/mcp`. */
  post(body: HttpAsk['body'], headers: HttpAsk['headers'] = {}): Promise<HttpAnswer> {
    const standard = { 'content-type': 'application/json', accept: bothTypes };
    return this.send({ headers: { ...standard, ...headers }, ...(body !== undefined && { body }) });
  }

  /** A complete request of the stateless era. */
  stateless(
    method: string,
    params: Json = {},
    headers: HttpAsk['headers'] = {},
  ): Promise<HttpAnswer> {
    const name = params['name'] ?? params['uri'];
    return this.post(statelessBody(method, params), {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    });
  }

  /** Opens a session and returns the headers that name it. */
  async session(
    protocolVersion = '2025-11-25',
    capabilities: Json = {},
  ): Promise<Record<string, string>> {
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion, capabilities, clientInfo };
    const answer = await this.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    return {
      'mcp-session-id': String(answer.headers['mcp-session-id']),
      'mcp-protocol-version': protocolVersion,
    };
  }

  /** Opens a stream with fetch; its events are read one by one. */
  async stream(path: string, init: StreamInit = {}): Promise<EventReader> {
    const abort = new AbortController();
    const response = await fetch(`${this.gateway.url}${path}`, {
      ...init,
      headers: { accept: bothTypes, ...init.headers },
      signal: abort.signal,
    });
    return new EventReader(response, abort);
  }

  async stop(): Promise<void> {
    await this.gateway.close();
  }
}

export function statelessBody(method: string, params: Json = {}): Json {
  return { jsonrpc: '2.0', id: 1, method, params: { _meta: statelessMeta, ...params } };
}

/** Reads server-sent events as they come. */
export class EventReader {
  readonly response: Response;
  readonly #abort: AbortController;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #decoder = new TextDecoder();
  #text = '';

  constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.#reader = response.body?.getReader();
  }

  /** The data of the next event; undefined when the stream has ended. Comments are skipped. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end >= 0) {
        const event = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        const data = event.split('\n').find((line) => line.startsWith('data: '));
        if (data !== undefined) return data.slice('data: '.length);
        continue;
      }
      const part = await this.#reader?.read();
      if (!part || part.done) return undefined;
      this.#text += this.#decoder.decode(part.value, { stream: true });
    }
  }

  async nextJson(): Promise<Json> {
    return toJson((await this.next()) ?? '');
  }

  /** What was received and is no whole event yet, comments included. */
  async nextRaw(): Promise<string> {
    const part = await this.#reader?.read();
    return this.#decoder.decode(part?.value);
  }

  leave(): void {
    this.#abort.abort();
  }
}

function toJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}
