import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface RpcAnswer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The least MCP client there is: asks over a pipe and waits for the answer with the same id. */
export class LineClient {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (answer: RpcAnswer | undefined) => void>();
  #lastId = 0;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stdin.on('error', () => {});
    child.stderr.resume();
    createInterface({ input: child.stdout }).on('line', (line) => this.#receive(line));
    child.on('exit', () => {
      for (const answer of this.#waiting.values()) answer(undefined);
    });
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: 'line-client', version: '1.0.0' };
    await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.#write({ method: 'notifications/initialized' });
  }

  /** Undefined when the program ended before it answered. */
  ask(method: string, params: object = {}): Promise<RpcAnswer | undefined> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve } = Promise.withResolvers<RpcAnswer | undefined>();
    this.#waiting.set(id, resolve);
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) resolve(undefined);
    this.#write({ id, method, params });
    return promise;
  }

  #write(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #receive(line: string): void {
    const message = JSON.parse(line) as RpcAnswer & { id?: number; method?: string };
    if (message.method !== undefined || message.id === undefined) return;
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }
}
