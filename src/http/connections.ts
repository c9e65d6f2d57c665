import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpLimits } from './http-limits.ts';

interface Connection {
  readonly address: string;
  /** Requests without a response yet, with the response to be. */
  readonly requests: Map<IncomingMessage, ServerResponse>;
  /** Sequence number of its last change between idle and pending. */
  since: number;
}

/**
 * The open connections of a listener.
 *
 * 1. Silent connections cannot exhaust the limit: at the limit, in total or per address, the connection silent
 *    longest is dropped for the new one. A connection is silent when it has sent no complete request since its
 *    last response; others are never dropped.
 * 2. A client that leaves its response unread for `readerStallMs` is disconnected.
 * 3. Closing waits for requests, not for sockets: Node counts a connection that never sent anything as busy.
 * 4. While closing, a request either is answered or is not begun: a client that sends one just as its connection is
 *    ended could never get the answer.
 */
export class Connections {
  readonly #limits: Pick<HttpLimits, 'maxConnections' | 'maxConnectionsPerAddress'>;
  /** Without and with a pending request, each in the order of `since`. */
  readonly #idle = new Map<Socket, Connection>();
  readonly #pending = new Map<Socket, Connection>();
  readonly #counts = new Map<string, number>();
  #lastSince = 0;
  #isClosing = false;

  constructor(http: Server, limits: HttpLimits) {
    this.#limits = limits;
    http.on('connection', (socket) => this.#admit(socket));
    // Nothing was read or written for a while. A request that still runs has nothing to send yet.
    http.on('timeout', (socket) => {
      if (!this.#pending.has(socket) || socket.writableLength > 0) socket.destroy();
    });
  }

  /** Call once per request; it must not be handled when this returns false. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    if (socket.writableEnded) {
      socket.destroy();
      return false;
    }
    const connection = this.#idle.get(socket) ?? this.#pending.get(socket);
    if (!connection) return true;
    connection.requests.set(request, response);
    if (connection.requests.size === 1) this.#move(socket, this.#idle, this.#pending);
    response.on('close', () => {
      connection.requests.delete(request);
      if (connection.requests.size > 0) return;
      this.#move(socket, this.#pending, this.#idle);
      if (this.#isClosing) socket.end();
    });
    return true;
  }

  /** Closes the server: each connection after its last response, all of them after `limitMs`. */
  async close(http: Server, limitMs: number): Promise<void> {
    const timer = setTimeout(() => http.closeAllConnections(), limitMs);
    this.#isClosing = true;
    for (const socket of this.#idle.keys()) socket.destroy();
    for (const { requests } of this.#pending.values()) {
      // Has the response say "connection: close", so that the client sends nothing after it.
      for (const response of requests.values()) response.shouldKeepAlive = false;
    }
    await new Promise<void>((resolve) => {
      http.close(() => resolve());
    });
    clearTimeout(timer);
  }

  #admit(socket: Socket): void {
    const { maxConnections, maxConnectionsPerAddress } = this.#limits;
    const address = networkOf(socket.remoteAddress ?? '');
    const count = this.#counts.get(address) ?? 0;
    const total = this.#idle.size + this.#pending.size;
    const isCrowded = count >= maxConnectionsPerAddress;
    if (
      (isCrowded || total >= maxConnections) &&
      !this.#dropSilent(isCrowded ? address : undefined)
    ) {
      socket.destroy();
      return;
    }
    this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1);
    this.#idle.set(socket, { address, requests: new Map(), since: (this.#lastSince += 1) });
    socket.once('close', () => this.#forget(socket));
  }

  /** Drops the connection silent longest, of `address` if given; false when there is none. */
  #dropSilent(address: string | undefined): boolean {
    const isEligible = (connection: Connection): boolean =>
      address === undefined || connection.address === address;
    const idle = this.#idle.entries().find(([, connection]) => isEligible(connection));
    const partial = this.#pending.entries().find(([, connection]) => {
      return (
        isEligible(connection) && [...connection.requests.keys()].every(({ complete }) => !complete)
      );
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
    const connection = this.#idle.get(socket) ?? this.#pending.get(socket);
    if (!connection) return;
    this.#idle.delete(socket);
    this.#pending.delete(socket);
    const left = (this.#counts.get(connection.address) ?? 1) - 1;
    if (left > 0) this.#counts.set(connection.address, left);
    else this.#counts.delete(connection.address);
  }
}

/** The /64 network of an IPv6 address: one host owns all of it. IPv4 may be written as IPv6. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!plain.includes(':')) return plain;
  const [before = '', after] = plain.split('::');
  const head = before.split(':').filter(Boolean);
  const tail = (after ?? '').split(':').filter(Boolean);
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array.from({ length: zeros }, () => '0'), ...tail].slice(0, 4).join(':');
}
