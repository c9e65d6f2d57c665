import { PlainHeaders } from './plain-headers.ts';

export interface WireResponseParts {
  readonly status?: number;
  readonly headers: PlainHeaders;
}

/** As much of the platform's `Response` as the AI SDK and we read; see `PlainHeaders` for why it is not that one. */
export class WireResponse {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly status: number;
  readonly headers: PlainHeaders;
  readonly statusText = '';

  constructor(body: ReadableStream<Uint8Array> | null, { status, headers }: WireResponseParts) {
    this.body = body;
    this.status = status ?? 200;
    this.headers = headers;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  async text(): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.body ?? []) pieces.push(piece);
    return new TextDecoder().decode(Buffer.concat(pieces));
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

/** For the AI SDK, which wants the platform's type. */
export function asPlatformResponse(response: WireResponse): Response {
  // It reads `ok`, `status`, `statusText`, `headers` (`get`, iteration) and `body` alone, all of which are there.
  return response as unknown as Response;
}
