import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { localCaller } from '../../src/contract/caller/index.ts';
import { silentLog, type Log } from '../../src/kernel/index.ts';
import { metaKey } from '../../src/protocol/index.ts';
import { serveStdio, type StdioGateway, type StdioOptions } from '../../src/gateway/index.ts';
import { FixtureServer } from './fixture-server.ts';

export type Json = Readonly<Record<string, unknown>>;

/** The `_meta` of a complete request of the stateless era. */
export const statelessMeta = {
  [metaKey.protocolVersion]: '2026-07-28',
  [metaKey.clientCapabilities]: {},
};

/** The client's end of a pair of pipes with the gateway at the other. */
export class StdioPeer {
  readonly server = new FixtureServer();
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly logged: { message: string; fields: unknown }[] = [];
  readonly gateway: StdioGateway;
  readonly #received: Json[] = [];
  #rest = '';
  #nextId = 1_000;

  constructor(options: Partial<StdioOptions> = {}) {
    const log: Log = {
      ...silentLog,
      error: (message, fields) => this.logged.push({ message, fields }),
    };
    this.gateway = serveStdio({
      server: this.server,
      caller: localCaller,
      input: this.input,
      output: this.output,
      log,
      ...options,
    });
    this.output.on('data', (chunk: Buffer) => this.#collect(chunk.toString()));
  }

  /** Received messages that were not taken yet. */
  get received(): readonly Json[] {
    return this.#received;
  }

  write(message: unknown): void {
    this.input.write(typeof message === 'string' ? `${message}\n` : `${JSON.stringify(message)}\n`);
  }

  notify(method: string, params: Json = {}): void {
    this.write({ jsonrpc: '2.0', method, params });
  }

  /** Sends a request and resolves with its whole response. */
  async ask(method: string, params: Json = {}): Promise<Json> {
    const id = (this.#nextId += 1);
    this.write({ jsonrpc: '2.0', id, method, params });
    return this.take((message) => message['id'] === id && !('method' in message));
  }

  askStateless(method: string, params: Json = {}): Promise<Json> {
    return this.ask(method, { ...params, _meta: statelessMeta });
  }

  initialize(protocolVersion = '2025-11-25', capabilities: Json = {}): Promise<Json> {
    return this.ask('initialize', {
      protocolVersion,
      capabilities,
      clientInfo: { name: 'test', version: '1' },
    });
  }

  /** The first message that fits, waiting for it if need be; it is taken out of `received`. */
  async take(fits: (message: Json) => boolean = () => true): Promise<Json> {
    for (;;) {
      const at = this.#received.findIndex(fits);
      if (at >= 0) return this.#received.splice(at, 1)[0] as Json;
      await once(this.output, 'data');
    }
  }

  #collect(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#received.push(JSON.parse(line) as Json);
  }
}
