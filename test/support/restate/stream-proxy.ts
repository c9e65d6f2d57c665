import { connect, createServer, type ClientHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';

export interface StreamProxy {
  readonly url: string;
  /** Requests each backend got, in their order. */
  counts(): readonly number[];
  close(): Promise<void>;
}

/**
 * A load balancer as one stands before workers: HTTP/2 without TLS, every request to the next backend
 * that takes connections. What a backend drops is dropped.
 */
export async function startStreamProxy(backends: readonly string[]): Promise<StreamProxy> {
  const sessions = new Map<string, ClientHttp2Session>();
  const counts = backends.map(() => 0);
  let turn = 0;

  const sessionTo = async (url: string): Promise<ClientHttp2Session> => {
    const known = sessions.get(url);
    if (known && !known.closed && !known.destroyed) return known;
    const session = connect(url);
    await new Promise<void>((resolve, reject) => {
      session.once('connect', () => resolve());
      session.once('error', reject);
    });
    session.on('error', () => {});
    session.on('close', () => sessions.delete(url));
    sessions.set(url, session);
    return session;
  };

  const choose = async (): Promise<ClientHttp2Session | undefined> => {
    for (let tried = 0; tried < backends.length; tried += 1) {
      const index = turn % backends.length;
      turn += 1;
      const session = await sessionTo(backends[index] ?? '').catch(() => undefined);
      if (!session) continue;
      counts[index] = (counts[index] ?? 0) + 1;
      return session;
    }
    return undefined;
  };

  const server = createServer();
  server.on('session', (session) => session.on('error', () => {}));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    void choose().then((session) => {
      if (!session) {
        stream.respond({ ':status': 503 }, { endStream: true });
        return;
      }
      const request = session.request(headers);
      request.on('error', () => stream.close());
      request.on('close', () => stream.close());
      stream.on('close', () => request.close());
      request.on('response', (answer) => {
        if (stream.closed) return;
        stream.respond(answer);
        request.pipe(stream);
      });
      stream.pipe(request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    counts: () => counts,
    close: async () => {
      for (const session of sessions.values()) session.destroy();
      server.close();
    },
  };
}
