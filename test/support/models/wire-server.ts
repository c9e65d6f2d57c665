import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** One request as a scripted server sees it. */
export interface Exchange {
  /** From 1; requests that only list models do not count. */
  readonly number: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export type Serve = (exchange: Exchange) => void;

export interface WireServer {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  close(): Promise<void>;
}

/** A server on a real socket that does just what it is told, however wrong that is. */
export async function startWireServer(serve: Serve): Promise<WireServer> {
  const exchanges: Exchange[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString('utf8');
      const body: Exchange['body'] = text === '' ? {} : JSON.parse(text);
      const exchange = { number: exchanges.length + 1, body, request, response };
      exchanges.push(exchange);
      serve(exchange);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One event of OpenAI's stream with a piece of text in it. */
export function openAiChunk(content: string, more: object = {}): string {
  return event({ choices: [{ index: 0, delta: { content }, ...more }] });
}

export function event(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

const usage = event({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 7 } });

export function openAiEnd(reason = 'stop'): string {
  return `${event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })}${usage}data: [DONE]\n\n`;
}

/** A well-formed answer in OpenAI's stream. */
export function answers(text: string, reason = 'stop'): Serve {
  return ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const middle = Math.ceil(text.length / 2);
    response.write(openAiChunk(text.slice(0, middle)));
    response.write(openAiChunk(text.slice(middle)));
    response.end(openAiEnd(reason));
  };
}

/** A response of one piece; an object becomes JSON. */
export function sends(
  status: number,
  body: string | Uint8Array | object,
  headers: Readonly<Record<string, string>> = {},
): Serve {
  return ({ response }) => {
    const isText = typeof body === 'string' || body instanceof Uint8Array;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(isText ? body : JSON.stringify(body));
  };
}

/** A stream that is begun with these texts, and left to what `then` does. */
export function streams(
  pieces: readonly string[],
  then: (response: ServerResponse) => void,
): Serve {
  return ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // In one write: otherwise the end of the connection may overtake it.
    response.write(pieces.join(''), () => then(response));
  };
}

/** The first requests as listed, all further ones as the last. */
export function inTurn(...serves: readonly Serve[]): Serve {
  return (exchange) => serves[Math.min(exchange.number, serves.length) - 1]?.(exchange);
}

/** Bytes past the HTTP layer. */
export function sendsRaw(text: string): Serve {
  return ({ response }) => {
    response.socket?.end(text);
  };
}

export const hangs: Serve = () => undefined;

export const dropsConnection: Serve = ({ response }) => {
  response.socket?.destroy();
};
