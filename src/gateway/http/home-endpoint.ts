import type { Caller } from '../../contract/caller/index.ts';
import { headerOf, respondJson, type HttpExchange } from '../../http/index.ts';
import { AppError, withTimeLimit, type Log } from '../../kernel/index.ts';
import { homePagePolicy, renderHomePage, type HomePage, type Overview } from './home-page.ts';

/** Servers that start for the first time may take longer; the page says so. */
const overviewLimitMs = 3_000;

export interface HomeParts {
  readonly version: string;
  readonly isAuthenticated: boolean;
  readonly overview: () => Promise<Overview>;
  readonly log: Log;
}

/** `/` for people with a browser. Servers and tools are listed to authenticated callers only. */
export class HomeEndpoint {
  readonly #parts: HomeParts;

  constructor(parts: HomeParts) {
    this.#parts = parts;
  }

  async serve({ request, response }: HttpExchange, caller: Caller | undefined): Promise<void> {
    const accept = headerOf(request, 'accept') ?? '*/*';
    if (!/\*\/\*|text\/html/.test(accept)) {
      const title = 'This page is for browsers. MCP is served at /mcp';
      respondJson(response, { status: 406, text: JSON.stringify({ status: 406, title }) });
      return;
    }
    const { version, isAuthenticated } = this.#parts;
    const html = renderHomePage({
      version,
      // Checked before: it names this server.
      mcpUrl: `http://${headerOf(request, 'host') ?? ''}/mcp`,
      needsToken: isAuthenticated,
      overview: caller ? await this.#overview() : undefined,
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
