import { AppError, withTimeLimit, type Log, type Secret } from '../../kernel/index.ts';
import { checkToken } from './guard.ts';
import { homePagePolicy, renderHomePage, type HomePage, type Overview } from './home-page.ts';
import { headerOf, type HttpCall } from './http-parts.ts';

/** Servers that start for the first time may take longer; the page says so. */
const overviewLimitMs = 3_000;

export interface HomeParts {
  readonly version: string;
  readonly token: Secret | undefined;
  readonly overview: () => Promise<Overview>;
  readonly log: Log;
}

/** `/` for people with a browser. Without the token, where there is one, it says nothing about what is served. */
export class HomeEndpoint {
  readonly #parts: HomeParts;

  constructor(parts: HomeParts) {
    this.#parts = parts;
  }

  /** True for requests of browsers and plain downloads; clients of MCP say what they want. */
  isFor({ request }: HttpCall): boolean {
    const accept = headerOf(request, 'accept') ?? '*/*';
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    return isReading && (accept === '*/*' || accept.includes('text/html'));
  }

  async serve({ request, response }: HttpCall): Promise<void> {
    const { version, token } = this.#parts;
    const isKnown = checkToken(request, token) === undefined;
    const html = renderHomePage({
      version,
      // Checked before: it names this server.
      mcpUrl: `http://${headerOf(request, 'host') ?? ''}/mcp`,
      needsToken: token !== undefined,
      overview: isKnown ? await this.#overview() : undefined,
    });
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-length': Buffer.byteLength(html),
      'content-security-policy': homePagePolicy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    response.end(html);
  }

  async #overview(): Promise<HomePage['overview']> {
    const { signal } = new AbortController();
    const limit = { what: 'Listing the tools', limitMs: overviewLimitMs, signal };
    try {
      return await withTimeLimit(limit, () => this.#parts.overview());
    } catch (thrown) {
      if (thrown instanceof AppError) return thrown.message;
      this.#parts.log.error('overview failed', { error: thrown });
      return 'the log of the server says why';
    }
  }
}
