import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { RpcAnswer } from './line-client.ts';

/** A notification or request that came from the server. */
export interface Heard {
  readonly id?: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface Incoming extends RpcAnswer, Partial<Heard> {}

/** An MCP client of the handshake era on a pair of streams, which hears and answers what it is asked. */
export class PipeClient {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  /** Notifications in the order they came. */
  readonly heard: Heard[] = [];
  readonly #waiting = new Map<number, (answer: RpcAnswer) => void>();
  readonly #answer: (asked: Heard) => object;
  #lastId = 0;

  /** `answer` gives the result of what the server asks. */
  constructor(answer: (asked: Heard) => object = () => ({})) {
    this.#answer = answer;
    createInterface({ input: this.stdout }).on('line', (line) => this.#receive(line));
  }

  async initialize(capabilities: object = {}): Promise<void> {
    const clientInfo = { name: 'pipe-client', version: '1.0.0' };
    await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo })
      .answer;
    this.#write({ method: 'notifications/initialized' });
  }

  /** Progress of the request comes under its id as token. */
  ask(
    method: string,
    params: object = {},
  ): { readonly id: number; readonly answer: Promise<RpcAnswer> } {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve } = Promise.withResolvers<RpcAnswer>();
    this.#waiting.set(id, resolve);
    this.#write({ id, method, params: { ...params, _meta: { progressToken: id } } });
    return { id, answer: promise };
  }

  notify(method: string, params: object): void {
    this.#write({ method, params });
  }

  #write(message: object): void {
    this.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #receive(line: string): void {
    const { id, method, params = {}, ...answer } = JSON.parse(line) as Incoming;
    if (method === undefined) {
      if (id !== undefined) this.#waiting.get(id)?.(answer);
      return;
    }
    const message: Heard = { method, params, ...(id !== undefined && { id }) };
    if (id === undefined) this.heard.push(message);
    else this.#write({ id, result: this.#answer(message) });
  }
}
