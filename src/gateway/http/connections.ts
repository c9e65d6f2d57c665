import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpLimits } from './http-limits.ts';

interface Connection {
  readonly address: string;
  /** Requests that are not answered yet. */
  readonly requests: IncomingMessage[];
  /** When it became silent, or the request came that it waits for: a number that only grows. */
  since: number;
}

/**
 * The connections of a server.
 *
 * 1. Silent ones lock nobody out: where there are too many, of all or of one address, the one that was silent
 *    longest is dropped for the newcomer. Silent is what sent no request, or only a part of one, since its
 *    last answer; others are never dropped.
 * 2. Closing the server waits for requests and not for sockets: Node takes a connection that never sent anything
 *    for a busy one.
 */
export class Connections {
  readonly #limits: Pick<HttpLimits, 'maxConnections' | 'maxConnectionsPerAddress'>;
  /** Those without and with a request, each in the order of `since`. */
  readonly #idle = new Map<Socket, Connection>();
  readonly #asking = new Map<Socket, Connection>();
  readonly #counts = new Map<string, number>();
  #lastSince = 0;
  #isClosing = false;

  constructor(http: Server, limits: HttpLimits) {
    this.#limits = limits;
    http.on('connection', (socket) => this.#admit(socket));
  }

  /** Call it once for each request. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#idle.get(socket) ?? this.#asking.get(socket);
    if (!connection) return;
    if (connection.requests.push(request) === 1) this.#move(socket, this.#idle, this.#asking);
    response.on('close', () => {
      connection.requests.splice(connection.requests.indexOf(request), 1);
      if (connection.requests.length > 0) return;
      this.#move(socket, this.#asking, this.#idle);
      if (this.#isClosing) socket.end();
    });
  }

  /** Closes the server, each connection when its last answer is out, all of them after `limitMs`. */
  async close(http: Server, limitMs: number): Promise<void> {
    const timer = setTimeout(() => http.closeAllConnections(), limitMs);
    this.#isClosing = true;
    for (const socket of this.#idle.keys()) socket.destroy();
    await new Promise<void>((resolve) => {
      http.close(() => resolve());
    });
    clearTimeout(timer);
  }

  #admit(socket: Socket): void {
    const { maxConnections, maxConnectionsPerAddress } = this.#limits;
    const address = networkOf(socket.remoteAddress ?? '');
    const count = this.#counts.get(address) ?? 0;
    const total = this.#idle.size + this.#asking.size;
    const isCrowded = count >= maxConnectionsPerAddress;
    if (
      (isCrowded || total >= maxConnections) &&
      !this.#dropSilent(isCrowded ? address : undefined)
    ) {
      socket.destroy();
      return;
    }
    this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1);
    this.#idle.set(socket, { address, requests: [], since: (this.#lastSince += 1) });
    socket.once('close', () => this.#forget(socket));
  }

  /** Drops the longest silent connection, of this address where one is given; false when there is none. */
  #dropSilent(address: string | undefined): boolean {
    const isMeant = (connection: Connection): boolean =>
      address === undefined || connection.address === address;
    const idle = this.#idle.entries().find(([, connection]) => isMeant(connection));
    const partial = this.#asking.entries().find(([, connection]) => {
      return isMeant(connection) && connection.requests.every(({ complete }) => !complete);
    });
    const [first, second] = [idle, partial].flatMap((it) => (it ? [it] : []));
    const longest = first && second && second[1].since < first[1].since ? second : first;
    if (!longest) return false;
    this.#forget(longest[0]);
    longest[0].destroy();
    return true;
  }

  #move(socket: Socket, from: Map<Socket, Connection>, to: Map<Socket, Connection>): void {
    const connection = from.get(socket);
    if (!connection) return;
    from.delete(socket);
    connection.since = this.#lastSince += 1;
    to.set(socket, connection);
  }

  #forget(socket: Socket): void {
    const connection = this.#idle.get(socket) ?? this.#asking.get(socket);
    if (!connection) return;
    this.#idle.delete(socket);
    this.#asking.delete(socket);
    const left = (this.#counts.get(connection.address) ?? 1) - 1;
    if (left > 0) this.#counts.set(connection.address, left);
    else this.#counts.delete(connection.address);
  }
}

/** Who has one address of IPv6 has all of the first 64 bits; IPv4 may be written as IPv6. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!plain.includes(':')) return plain;
  const [before = '', after] = plain.split('::');
  const head = before.split(':').filter(Boolean);
  const tail = (after ?? '').split(':').filter(Boolean);
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array.from({ length: zeros }, () => '0'), ...tail].slice(0, 4).join(':');
}
