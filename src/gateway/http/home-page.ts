import { createHash } from 'node:crypto';
import type { Caller } from '../../contract/caller/index.ts';
import type { ServerStatus } from '../../contract/fleet/index.ts';
import type { Tool } from '../../contract/tool/index.ts';
import { headerOf, respondJson, type HttpExchange } from '../../http/index.ts';
import { AppError, lookupTable, withTimeLimit, type Log } from '../../kernel/index.ts';

/** Servers that start for the first time may take longer; the page then shows the timeout. */
const overviewLimitMs = 3_000;

export interface HomeParts {
  readonly version: string;
  readonly isAuthenticated: boolean;
  readonly overview: (caller: Caller) => Promise<Overview>;
  /** Other pages of this server. */
  readonly links: readonly PageLink[];
  readonly log: Log;
}

export interface PageLink {
  readonly path: string;
  readonly text: string;
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
    const { version, isAuthenticated, links } = this.#parts;
    const html = renderHomePage({
      version,
      // The Host header was checked: it names this server.
      mcpUrl: `http://${headerOf(request, 'host') ?? ''}/mcp`,
      needsToken: isAuthenticated,
      links,
      overview: caller ? await this.#overview(caller) : undefined,
    });
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-length': Buffer.byteLength(html),
      'content-security-policy': homePagePolicy,
    });
    response.end(html);
  }

  async #overview(caller: Caller): Promise<HomePage['overview']> {
    const { signal } = new AbortController();
    const limit = { what: 'Listing the tools', limitMs: overviewLimitMs, signal };
    try {
      return await withTimeLimit(limit, () => this.#parts.overview(caller));
    } catch (thrown) {
      if (thrown instanceof AppError) return thrown.message;
      this.#parts.log.error('overview failed', { error: thrown });
      return "see the server's log";
    }
  }
}

/** The servers and tools shown on the page. */
export interface Overview {
  readonly servers: readonly Pick<ServerStatus, 'name' | 'state' | 'tools' | 'lastError'>[];
  readonly tools: readonly Pick<Tool, 'name' | 'title' | 'description'>[];
}

export interface HomePage {
  readonly version: string;
  /** The MCP url, as reached by the browser. */
  readonly mcpUrl: string;
  readonly needsToken: boolean;
  readonly links: readonly PageLink[];
  /** Undefined where the visitor may not see it, a reason where it failed. */
  readonly overview: Overview | string | undefined;
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{margin-bottom:0}h2{margin-top:2rem}code,pre{font:14px/1.5 ui-monospace,monospace}
pre{background:#f4f4f4;border:1px solid #ddd;border-radius:4px;padding:.75rem;overflow:auto;user-select:all}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #eee}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}pre{background:#222;border-color:#444}th,td{border-color:#333}}`;

/** Nothing is loaded, run or sent from this page, and no other page may frame it. */
export const homePagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The page at `/`: status, how to connect, servers and tools. No script; all external text is escaped. */
export function renderHomePage(page: HomePage): string {
  const { version, mcpUrl, needsToken, links, overview } = page;
  const headers = needsToken ? { headers: { Authorization: 'Bearer TOKEN' } } : {};
  const entry = { mcpServers: { tutti: { type: 'http', url: mcpUrl, ...headers } } };
  const flag = needsToken ? " --header 'Authorization: Bearer TOKEN'" : '';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Tutti</title><style>${style}</style></head><body>
<h1>Tutti is running</h1>
<p>Version ${escaped(version)}. MCP is served at <code>${escaped(mcpUrl)}</code>${needsToken ? ' and needs the token of this server' : ''}.</p>
<h2>Connect a client</h2>${needsToken ? `\n<p>${tokenHint}</p>` : ''}
<p>Most clients take this entry; one click selects it:</p>
<pre>${escaped(JSON.stringify(entry, null, 2))}</pre>
<p>Claude Code:</p>
<pre>claude mcp add --transport http tutti ${escaped(mcpUrl)}${escaped(flag)}</pre>
${links.map(renderLink).join('')}${renderOverview(overview)}
</body></html>
`;
}

function renderLink({ path, text }: PageLink): string {
  return `<p><a href="${escaped(path)}">${escaped(text)}</a></p>\n`;
}

const tokenHint =
  'TOKEN is the setting <code>server.auth_token</code>. Where that is not set, it is in the file <code>serve-token</code> in the data directory of the user who runs this server; <code>tutti serve</code> prints its path.';

function renderOverview(overview: HomePage['overview']): string {
  if (overview === undefined) return '<p>Servers and tools are listed only with the token.</p>';
  if (typeof overview === 'string') {
    return `<h2>Servers and tools</h2>\n<p>They could not be listed: ${escaped(overview)}</p>`;
  }
  const servers = overview.servers.map(({ name, state, tools, lastError }) => {
    const reason = state === 'ready' ? '' : (lastError ?? '');
    return row([name, state, String(tools), reason]);
  });
  const tools = overview.tools.map(({ name, title, description }) =>
    row([name, description ?? title ?? '']),
  );
  return `<h2>Servers</h2>
<table><tr><th>Name</th><th>State</th><th>Tools</th><th></th></tr>
${servers.join('\n')}
</table>
<h2>Tools</h2>
<table>
${tools.join('\n')}
</table>`;
}

function row(cells: readonly string[]): string {
  const [first = '', ...others] = cells.map(escaped);
  return `<tr><td><code>${first}</code></td>${others.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

const entities: Readonly<Record<string, string>> = lookupTable({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
});

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}
