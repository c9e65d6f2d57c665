import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { checkHeaders } from './check-headers.ts';
import {
  errorOf,
  membersOf,
  rpcCode,
  type Incoming,
  type Members,
  type MessageId,
} from './exchange.ts';
import { eraOf, Peer } from './peer.ts';
import type { ConformanceServer } from './server.ts';

/** A session of the handshake era: its client, and the streams that lead there. */
interface Session {
  readonly peer: Peer;
  readonly streams: Map<MessageId, ServerResponse>;
  listener: ServerResponse | undefined;
  /** Answers whose stream was closed on purpose, by the event a client resumes from. */
  readonly parked: Map<string, { id: MessageId; answer?: Members; stream?: ServerResponse }>;
}

const retryMs = 50;
const statusOf: Readonly<Record<number, number>> = {
  [rpcCode.methodNotFound]: 404,
  [rpcCode.headerMismatch]: 400,
  [rpcCode.missingCapability]: 400,
  [rpcCode.unsupportedVersion]: 400,
};

/** Streamable HTTP of both eras. */
export function serveHttp(server: ConformanceServer): Server {
  const sessions = new Map<string, Session>();
  return createServer((request, response) => {
    void handle(request, response).catch((error: unknown) => refuse(response, 500, String(error)));
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = '', 'mcp-session-id': key } = request.headers;
    if (!/^127\.0\.0\.1(?::\d+)?$/.test(host)) return refuse(response, 403, 'Unknown host');
    const session = typeof key === 'string' ? sessions.get(key) : undefined;
    if (request.method !== 'POST') {
      if (!session) return refuse(response, 405, 'Method not allowed');
      if (request.method === 'GET') return listen(session, request, response);
      session.peer.close();
      sessions.delete(String(key));
      response.writeHead(200).end();
      return;
    }
    const message = await readMessage(request);
    const { id, method = '' } = message;
    if (eraOf(method, message.params) === 'stateless' && server.speaks('stateless')) {
      return answerOnce(server, message, { request, response });
    }
    if (method === 'initialize' && server.speaks('handshake')) {
      const opened = openSession(server);
      response.setHeader('mcp-session-id', opened.key);
      sessions.set(opened.key, opened.session);
      return converse(opened.session, message, response);
    }
    if (method === 'initialize') return answerOnce(server, message, { request, response });
    if (!session) return refuse(response, key === undefined ? 400 : 404, 'No such session');
    if (id !== undefined && method !== '') return converse(session, message, response);
    session.peer.receive(message);
    response.writeHead(202).end();
  }
}

function openSession(server: ConformanceServer): { key: string; session: Session } {
  const streams = new Map<MessageId, ServerResponse>();
  const parked: Session['parked'] = new Map();
  const peer = new Peer(server, (message, during) => {
    const isLast = message['id'] === during && message['method'] === undefined;
    const late = [...parked.values()].find(({ id }) => id === during);
    if (late) return resume(late, message);
    const stream = during === undefined ? session.listener : streams.get(during);
    writeEvent(stream, message);
    if (during === undefined || !isLast) return;
    stream?.end();
    streams.delete(during);
  });
  const session: Session = { peer, streams, parked, listener: undefined };
  return { key: randomUUID(), session };
}

function converse(session: Session, message: Incoming, response: ServerResponse): void {
  const { id = '', params = {} } = message;
  openStream(response);
  if (params['name'] === 'test_reconnection') {
    const event = randomUUID();
    session.parked.set(event, { id });
    response.end(`id: ${event}\nretry: ${retryMs}\ndata: \n\n`);
  } else session.streams.set(id, response);
  session.peer.receive(message);
}

function listen(session: Session, request: IncomingMessage, response: ServerResponse): void {
  openStream(response);
  const parked = session.parked.get(String(request.headers['last-event-id']));
  if (!parked) {
    session.listener = response;
    return;
  }
  parked.stream = response;
  if (parked.answer) resume(parked, parked.answer);
}

function resume(late: { answer?: Members; stream?: ServerResponse }, answer: Members): void {
  late.answer = answer;
  writeEvent(late.stream, answer);
  late.stream?.end();
}

/** The stateless era: one request, one answer, and notifications in between. */
function answerOnce(
  server: ConformanceServer,
  message: Incoming,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): void {
  const failure = checkHeaders(request.headers, message);
  const { id } = message;
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const finish = (answer: Members): void => {
    if (response.headersSent) {
      writeEvent(response, answer);
      response.end();
      return;
    }
    const { code } = membersOf(answer['error']);
    const status = failure ? 400 : (statusOf[Number(code)] ?? 200);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  };
  if (failure) return finish({ jsonrpc: '2.0', id, error: errorOf(failure) });
  const peer = new Peer(server, (sent) => {
    if (sent['method'] === undefined) return finish(sent);
    if (!response.headersSent) openStream(response);
    writeEvent(response, sent);
  });
  response.on('close', () => peer.close());
  peer.receive(message);
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
}

function writeEvent(stream: ServerResponse | undefined, message: Members): void {
  stream?.write(`data: ${JSON.stringify(message)}\n\n`);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }));
}

async function readMessage(request: IncomingMessage): Promise<Incoming> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as Incoming;
}
