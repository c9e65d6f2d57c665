import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connections of a server, so that closing it waits for requests and not for sockets: Node takes
 * a connection that never sent anything for a busy one.
 */
export class Connections {
  readonly #requests = new Map<Socket, { running: number }>();
  #isClosing = false;

  constructor(http: Server) {
    http.on('connection', (socket) => {
      this.#requests.set(socket, { running: 0 });
      socket.once('close', () => this.#requests.delete(socket));
    });
  }

  /** Call it once for each request. */
  begin(socket: Socket, response: ServerResponse): void {
    const requests = this.#requests.get(socket);
    if (!requests) return;
    requests.running += 1;
    response.on('close', () => {
      requests.running -= 1;
      if (this.#isClosing && requests.running === 0) socket.end();
    });
  }

  /** Closes the server, each connection when its last answer is out, all of them after `limitMs`. */
  async close(http: Server, limitMs: number): Promise<void> {
    const timer = setTimeout(() => http.closeAllConnections(), limitMs);
    this.#isClosing = true;
    for (const [socket, { running }] of this.#requests) if (running === 0) socket.destroy();
    await new Promise<void>((resolve) => {
      http.close(() => resolve());
    });
    clearTimeout(timer);
  }
}
