import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers one request, or returns false to let the server answer as OSV would. */
export type Disturbance = (
  request: IncomingMessage,
  response: ServerResponse,
  count: number,
) => boolean;

export interface OsvServerOptions {
  /** `ecosystem/name@version` → ids, as the real service would have matched them. */
  readonly matches: Readonly<Record<string, readonly string[]>>;
  readonly records: readonly { readonly id: string }[];
  readonly pageSize?: number;
  readonly disturb?: Disturbance;
}

/** A real HTTP server that speaks the part of the OSV API that is used. */
export class OsvServer {
  readonly #server: Server;
  readonly #options: OsvServerOptions;
  /** `METHOD path`, in order of arrival. */
  readonly requests: string[] = [];
  readonly batchSizes: number[] = [];

  constructor(options: OsvServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      void this.#answer(request, response);
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push(`${request.method} ${request.url}`);
    if (this.#options.disturb?.(request, response, this.requests.length)) return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (request.url === '/v1/querybatch') {
      const { queries } = JSON.parse(Buffer.concat(chunks).toString()) as { queries: Query[] };
      this.batchSizes.push(queries.length);
      send(200, { results: queries.map((query) => this.#match(query)) });
      return;
    }
    const id = decodeURIComponent(/^\/v1\/vulns\/(.+)$/.exec(request.url ?? '')?.[1] ?? '');
    const record = this.#options.records.find((candidate) => candidate.id === id);
    send(record ? 200 : 404, record ?? { code: 5, message: 'Bug not found.' });
  }

  #match(query: Query): unknown {
    const key = `${query.package.ecosystem}/${query.package.name}@${query.version}`;
    const ids = this.#options.matches[key] ?? [];
    const start = Number(query.page_token ?? 0);
    const end = start + (this.#options.pageSize ?? 1_000);
    const vulns = ids.slice(start, end).map((id) => ({ id, modified: '2024-01-01T00:00:00Z' }));
    if (vulns.length === 0) return {};
    return end < ids.length ? { vulns, next_page_token: String(end) } : { vulns };
  }
}

interface Query {
  readonly package: { readonly name: string; readonly ecosystem: string };
  readonly version: string;
  readonly page_token?: string;
}
