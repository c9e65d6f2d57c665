import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../../kernel/index.ts';
import { errorMessage, isSuccess, readAnswer } from '../http-answer.ts';

interface DockerRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Without a version: the engine's own is spoken. */
  readonly path: string;
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The few requests a sandbox needs of Docker or Podman. Throws `sandbox.docker_request_failed`. */
export interface DockerApi {
  /** The parsed answer; null when it is empty. */
  call(request: DockerRequest): Promise<unknown>;
  /** A connection that carries a program's streams in both directions. */
  connect(request: DockerRequest): Promise<Socket>;
}

const requestLimitMs = 60_000;

export function dockerApi(socketPath: string): DockerApi {
  return {
    async call(request) {
      const { answer } = await send(socketPath, request, {});
      const text = await readAll(answer, describe(request));
      if (!isSuccess(answer)) throw refused(request, answer, text);
      return text === '' ? null : JSON.parse(text);
    },
    async connect(request) {
      const headers = { connection: 'Upgrade', upgrade: 'tcp' };
      const { answer, socket } = await send(socketPath, request, headers);
      if (socket) return socket;
      throw refused(request, answer, await readAll(answer, describe(request)));
    },
  };
}

interface Answered {
  readonly answer: IncomingMessage;
  /** Present when the engine handed the connection over. */
  readonly socket?: Socket;
}

function send(
  socketPath: string,
  asked: DockerRequest,
  extraHeaders: Readonly<Record<string, string>>,
): Promise<Answered> {
  const { method, path, body } = asked;
  const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const ended = endBy(asked.signal);
  return new Promise<Answered>((resolve, reject) => {
    const request: ClientRequest = httpRequest({
      socketPath,
      method,
      path,
      agent: false,
      signal: ended.signal,
      headers: {
        host: 'docker',
        'content-length': content?.length ?? 0,
        ...(content && { 'content-type': 'application/json' }),
        ...extraHeaders,
      },
    });
    request.on('response', (answer) => {
      answer.once('close', ended.forget);
      resolve({ answer });
    });
    request.on('upgrade', (answer, socket, head) => {
      ended.forget();
      if (head.length > 0) socket.unshift(head);
      // The engine goes away when it likes: that is the end of the stream and nothing else.
      socket.on('error', () => socket.destroy());
      resolve({ answer, socket });
    });
    request.on('error', (error) => {
      ended.forget();
      if (asked.signal?.aborted) reject(asked.signal.reason);
      else reject(new DockerRequestError(describe(asked), null, error.message));
    });
    request.end(content);
  });
}

/** Like AbortSignal.any, but leaves nothing behind on a signal that lives long. */
function endBy(outer: AbortSignal | undefined): { signal: AbortSignal; forget: () => void } {
  const ended = new AbortController();
  const onAbort = (): void => ended.abort(outer?.reason);
  if (outer?.aborted) onAbort();
  outer?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(
    () => ended.abort(new Error(`there was no answer within ${requestLimitMs} ms`)),
    requestLimitMs,
  ).unref();
  const forget = (): void => {
    clearTimeout(timer);
    outer?.removeEventListener('abort', onAbort);
  };
  return { signal: ended.signal, forget };
}

function readAll(answer: IncomingMessage, attempt: string): Promise<string> {
  const status = answer.statusCode ?? null;
  return readAnswer(answer, (reason) => new DockerRequestError(attempt, status, reason));
}

function describe({ method, path }: DockerRequest): string {
  return `${method} ${path.split('?')[0]}`;
}

function refused(
  request: DockerRequest,
  answer: IncomingMessage,
  text: string,
): DockerRequestError {
  const status = answer.statusCode ?? null;
  return new DockerRequestError(describe(request), status, `${status} ${errorMessage(text)}`);
}

/** The container engine did not do what it was asked. */
export class DockerRequestError extends AppError {
  readonly code = 'sandbox.docker_request_failed';
  /** Null when there was no answer at all. */
  readonly status: number | null;
  /** Without the attempt. */
  readonly reason: string;

  constructor(attempt: string, status: number | null, reason: string) {
    super(`Unexpected response from the container engine to "${attempt}": ${reason}`, {
      details: { attempt, status, reason },
    });
    this.status = status;
    this.reason = reason;
  }
}
