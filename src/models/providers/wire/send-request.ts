import { request as plainRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';

export interface WireRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Destroying it ends the connection. */
  readonly body: Readable;
}

/** A host that does not respond is told as such, long before the system gives up. */
const connectMs = 10_000;

/**
 * Sends a request and gives its response, whatever its status; redirects are not followed. Connections are kept for the next
 * request, proxies and certificates are those that Node's own settings name.
 */
export async function sendRequest(url: string, wanted: WireRequest): Promise<WireAnswer> {
  const isSecure = new URL(url).protocol === 'https:';
  const request = isSecure ? (await import('node:https')).request : plainRequest;
  const { method, body, signal } = wanted;
  signal?.throwIfAborted();
  const headers = { accept: '*/*', 'accept-encoding': 'identity', ...wanted.headers };
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method, headers, ...(signal && { signal }) }, resolve);
    sent.on('error', reject);
    limitConnecting(sent, isSecure ? 'secureConnect' : 'connect');
    sent.end(body);
  });
  const status = incoming.statusCode ?? 0;
  return { status, headers: incoming.headers, body: await unpacked(incoming) };
}

function limitConnecting(sent: ClientRequest, connected: 'connect' | 'secureConnect'): void {
  const timer = setTimeout(() => {
    const late = new Error(`No connection within ${connectMs} ms`);
    sent.destroy(Object.assign(late, { code: 'ETIMEDOUT' }));
  }, connectMs);
  const stop = (): void => clearTimeout(timer);
  sent.once('close', stop);
  sent.once('socket', (socket) => {
    if (socket.connecting) socket.once(connected, stop);
    else stop();
  });
}

/** Some servers and proxies compress although nobody asked for it. */
async function unpacked(incoming: IncomingMessage): Promise<Readable> {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return incoming;
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib');
  const unpackers: Readonly<Record<string, () => Transform>> = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  };
  const unpacker = unpackers[encoding]?.();
  // What failed is told to whoever reads the unpacked bytes.
  return unpacker ? pipeline(incoming, unpacker, () => undefined) : incoming;
}
