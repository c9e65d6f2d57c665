import type { IncomingMessage, ServerResponse } from 'node:http';
import { encodeError, rpcErrorCode } from '../../protocol/index.ts';
import { refuse } from './respond.ts';

const lingerMs = 1_000;

/**
 * Reads the body of a POST that is to be JSON. Undefined when there is nothing to go on with: it
 * was refused (415, 413) and answered, or the client went away.
 */
export function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): Promise<Buffer | undefined> {
  if (!isJson(request.headers['content-type'])) {
    refuse(response, { status: 415, message: 'Content-Type must be application/json' });
    return nothing();
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    refuseTooLarge(request, response, maxBytes);
    return nothing();
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
        refuseTooLarge(request, response, maxBytes);
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
      // Node is told of every promise that is resolved again, which costs more than resolving it.
      if (!isRead) resolve(undefined);
    });
  });
}

async function nothing(): Promise<undefined> {
  return undefined;
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type.trim() !== 'application/json') return false;
  const charset = parameters.find((parameter) => parameter.trim().startsWith('charset='));
  return charset === undefined || /^\s*charset="?utf-?8"?\s*$/.test(charset);
}

/**
 * Answers at once and then drops what still arrives for a moment: a socket closed on a client that
 * is still sending is reset, and the client would never read the answer.
 */
function refuseTooLarge(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): void {
  const timer = setTimeout(() => request.socket.destroy(), lingerMs);
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => response.end());
  const message = `The request is larger than ${maxBytes} bytes`;
  const text = encodeError(null, { code: rpcErrorCode.invalidRequest, message });
  response.writeHead(413, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  });
  response.write(text);
  request.resume();
}
