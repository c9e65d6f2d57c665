import type { ServerResponse } from 'node:http';
import type { HttpLimits } from './http-limits.ts';

/** A response of server-sent events. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #maxBacklogBytes: number;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(
    response: ServerResponse,
    limits: Pick<HttpLimits, 'maxStreamBacklogBytes' | 'streamHeartbeatMs'>,
  ) {
    this.#response = response;
    this.#maxBacklogBytes = limits.maxStreamBacklogBytes;
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      // Asks proxies not to buffer events.
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
    this.#heartbeat = setInterval(() => this.#write(': alive\n\n'), limits.streamHeartbeatMs);
    response.once('close', () => clearInterval(this.#heartbeat));
  }

  /** `text` must be a single line, as JSON texts are. A client that reconnects names the last `id` it got. */
  send(text: string, event = 'message', id?: string): void {
    const idLine = id === undefined ? '' : `id: ${id}\n`;
    this.#write(`${idLine}event: ${event}\ndata: ${text}\n\n`);
  }

  end(): void {
    clearInterval(this.#heartbeat);
    this.#response.end();
  }

  #write(text: string): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    this.#response.write(text);
    // A client that does not read is disconnected instead of filling memory.
    if (this.#response.writableLength > this.#maxBacklogBytes) this.#response.destroy();
  }
}
