import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connections of a server, so that closing it waits for requests and not for sockets: Node takes
 * a connection that never sent anything for a busy one.
 */
export class Connections {
  readonly #requests = new Map<Socket, number>();
  #isClosing = false;

  constructor(http: Server) {
    http.on('connection', (socket) => {
      this.#requests.set(socket, 0);
      socket.once('close', () => this.#requests.delete(socket));
    });
  }

  /** Call it once for each request. */
  begin(socket: Socket, response: ServerResponse): void {
    this.#count(socket, 1);
    response.once('close', () => this.#count(socket, -1));
  }

  /** Closes the server, each connection when its last answer is out, all of them after `limitMs`. */
  async close(http: Server, limitMs: number): Promise<void> {
    const timer = setTimeout(() => http.closeAllConnections(), limitMs);
    this.#isClosing = true;
    for (const [socket, requests] of this.#requests) if (requests === 0) socket.destroy();
    await new Promise<void>((resolve) => {
      http.close(() => resolve());
    });
    clearTimeout(timer);
  }

  #count(socket: Socket, change: number): void {
    const requests = this.#requests.get(socket);
    if (requests === undefined) return;
    this.#requests.set(socket, requests + change);
    if (this.#isClosing && requests + change === 0) socket.end();
  }
}
