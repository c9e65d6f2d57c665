import type { IncomingMessage, ServerResponse } from 'node:http';
import { respondJson, type HttpExchange, type RefusalFormat } from './exchange.ts';

const lingerMs = 1_000;

export interface BodyRules {
  readonly maxBytes: number;
  readonly refusals: RefusalFormat;
}

/**
 * Reads a JSON body without parsing it. Undefined when there is none to use: the request was refused
 * (415, 413) and answered, or the client disconnected.
 */
export function readJsonBody(
  { request, response }: HttpExchange,
  rules: BodyRules,
): Promise<Buffer | undefined> {
  const { maxBytes, refusals } = rules;
  if (!isJson(request.headers['content-type'])) {
    respondJson(
      response,
      refusals({ status: 415, message: 'Content-Type must be application/json' }),
    );
    return Promise.resolve(undefined);
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    refuseTooLarge(request, response, rules);
    return Promise.resolve(undefined);
  }
  if (request.headers.expect === '100-continue') response.writeContinue();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let isRead = false;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) {
        request.removeAllListeners('data').pause();
        refuseTooLarge(request, response, rules);
        resolve(undefined);
        return;
      }
      chunks.push(chunk);
    });
    request.on('end', () => {
      isRead = true;
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    });
    request.on('close', () => {
      // Resolving a promise twice emits a process event, which costs more than this check.
      if (!isRead) resolve(undefined);
    });
  });
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type.trim() !== 'application/json') return false;
  const charset = parameters.find((parameter) => parameter.trim().startsWith('charset='));
  return charset === undefined || /^\s*charset="?utf-?8"?\s*$/.test(charset);
}

/**
 * Responds at once and discards input for a moment: closing the socket while the client is sending
 * resets the connection, and the client would never read the response.
 */
function refuseTooLarge(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, refusals }: BodyRules,
): void {
  const timer = setTimeout(() => request.socket.destroy(), lingerMs);
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => response.end());
  const message = `The request is larger than ${maxBytes} bytes`;
  const { text, headers } = refusals({ status: 413, message });
  response.writeHead(413, {
    'content-type': 'application/json',
    ...headers,
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  });
  response.write(text);
  request.resume();
}
