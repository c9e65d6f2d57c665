import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { EndpointOptions, LogMetadata } from '@restatedev/restate-sdk';
import type { Log } from '../../kernel/index.ts';
import { WorkerAddressError } from './errors.ts';
import type { RestateSdk } from './run-workflow.ts';

export interface Endpoint {
  readonly url: string;
  /** Takes no more requests, and cuts off those that are under way: Restate gives them to others. */
  close(): Promise<void>;
}

export interface EndpointParts {
  readonly sdk: RestateSdk;
  readonly services: EndpointOptions['services'];
  readonly identityKey: string | undefined;
  readonly log: Log;
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Listens for Restate. Several processes of one user may listen on one port: the system hands each
 * connection to one of them, and to the others when it is gone.
 */
export async function serveEndpoint(
  { sdk, services, identityKey, log }: EndpointParts,
  address: Address,
): Promise<Endpoint> {
  const server = createServer(
    sdk.createEndpointHandler({
      services,
      ...(identityKey !== undefined && { identityKeys: [identityKey] }),
      logger: (metadata, ...message) => writeLog(log, metadata, message),
    }),
  );
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    // A connection that breaks is Restate's to make anew.
    session.on('error', () => {});
  });
  await listen(server, address);
  return {
    url: urlOf(server),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
}

function listen(server: Http2Server, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new WorkerAddressError({ host, port }, error)));
    // Only Linux spreads connections over those who share a port; a free port is nobody else's anyway.
    const reusePort = port !== 0 && process.platform === 'linux';
    server.listen({ host, port, reusePort }, resolve);
  });
}

function urlOf(server: Http2Server): string {
  // A server that listens on a port has such an address.
  const { address, port, family } = server.address() as AddressInfo;
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

const badLevels: readonly string[] = ['warn', 'error'];

/** Attempts that end and are made again are everyday life of a worker: what is bad stands in the log, the rest for those who look closer. */
function writeLog(log: Log, { level, replaying, context }: LogMetadata, message: unknown[]): void {
  if (replaying) return;
  const isBad = badLevels.includes(level);
  const fields = { text: message.map(String).join(' '), workflow: context?.key };
  if (isBad) log.warn('restate worker', fields);
  else log.debug('restate worker', fields);
}
