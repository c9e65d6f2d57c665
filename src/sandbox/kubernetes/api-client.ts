import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { z } from 'zod';
import { readAnswer } from '../read-answer.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { ClusterRequestError } from './errors.ts';

/** The few requests a sandbox needs of an API server. */
export interface ClusterApi {
  /** Its address. */
  readonly server: string;
  readonly namespace: string;
  create(path: string, body: object): Promise<unknown>;
  read(path: string): Promise<unknown>;
  /** Succeeds also when there was nothing to remove. */
  remove(path: string): Promise<void>;
  /** Calls back with each piece of an answer that goes on; resolves when the server ends it. */
  follow(path: string, options: FollowOptions): Promise<void>;
}

export interface FollowOptions {
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: Uint8Array) => void;
}

const requestLimitMs = 30_000;

const statusSchema = z.looseObject({ message: z.string() });

export function clusterApi(access: ClusterAccess): ClusterApi {
  const whole = async (method: string, path: string, body?: object): Promise<unknown> => {
    const signal = AbortSignal.timeout(requestLimitMs);
    const answer = await send(access, { method, path, body, signal });
    const text = await readAll(answer, `${method} ${path}`);
    if (isGood(answer)) return JSON.parse(text);
    throw refused(`${method} ${path}`, answer, text);
  };
  return {
    server: access.server,
    namespace: access.namespace,
    create: (path, body) => whole('POST', path, body),
    read: (path) => whole('GET', path),
    async remove(path) {
      // "Background" also removes what belongs to it: the pod of a job.
      const body = { propagationPolicy: 'Background', gracePeriodSeconds: 0 };
      await whole('DELETE', path, body).catch((error: unknown) => {
        if (!(error instanceof ClusterRequestError && error.status === 404)) throw error;
      });
    },
    async follow(path, { signal, onBytes }) {
      const answer = await send(access, { method: 'GET', path, signal });
      if (!isGood(answer)) throw refused(`GET ${path}`, answer, await readAll(answer, path));
      for await (const piece of answer) onBytes(piece as Uint8Array);
    },
  };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly signal: AbortSignal;
}

function send(
  access: ClusterAccess,
  { method, path, body, signal }: Sent,
): Promise<IncomingMessage> {
  const url = new URL(access.server.replace(/\/$/, '') + path);
  const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const options: RequestOptions = {
    method,
    signal,
    headers: {
      accept: 'application/json',
      ...(access.token === undefined ? {} : { authorization: `Bearer ${access.token}` }),
      ...(content && { 'content-type': 'application/json', 'content-length': content.length }),
    },
    rejectUnauthorized: !access.skipsVerification,
    ...(access.ca && { ca: access.ca }),
    ...access.certificate,
  };
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = start(url, options, resolve);
    request.on('error', (error) => {
      reject(new ClusterRequestError(`${method} ${path} at ${url.origin}`, null, error.message));
    });
    request.end(content);
  });
}

function readAll(answer: IncomingMessage, attempt: string): Promise<string> {
  const status = answer.statusCode ?? null;
  return readAnswer(answer, (reason) => new ClusterRequestError(attempt, status, reason));
}

function isGood({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

function refused(attempt: string, answer: IncomingMessage, text: string): ClusterRequestError {
  const status = answer.statusCode ?? null;
  const told = statusSchema.safeParse(parseOrNull(text));
  const reason = told.success ? told.data.message : text.slice(0, 300);
  return new ClusterRequestError(attempt, status, `the API server answered ${status}: ${reason}`);
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
