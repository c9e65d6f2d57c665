import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the browser shows when it comes back. */
export interface Page {
  readonly status: number;
  readonly title: string;
  /** Plain text: everything in it is escaped. */
  readonly text: string;
  /** A button that posts back to this address. */
  readonly form?: { readonly action: string; readonly button: string };
}

/** Handles an authorization response; never rejects. */
export type ReceiveResponse = (parameters: URLSearchParams) => Promise<Page>;

export interface LoopbackRedirect {
  /** The redirect URI. */
  readonly uri: string;
  /** Accepts no further browser; resolves when the page of the last one was sent, or a moment later. */
  close(): Promise<void>;
}

const path = '/callback';
const maxUrlLength = 8_192;
const headersLimitMs = 5_000;
const maxConnections = 20;
const maxLingerMs = 1_000;

/**
 * Listens on a random port of 127.0.0.1 for the browser that comes back from an authorization server (RFC 8252).
 * Ends with `close`, and keeps the process alive until then.
 */
export async function openLoopbackRedirect(receive: ReceiveResponse): Promise<LoopbackRedirect> {
  const server = createServer({ headersTimeout: headersLimitMs, requestTimeout: headersLimitMs });
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  // A server that listens on a port has an address object.
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  server.on('request', ({ method, url = '', headers }, response) => {
    const target = url.length <= maxUrlLength ? URL.parse(url, `http://${host}`) : null;
    // Another host name is a page of another site that resolves to this machine.
    if (headers.host !== host || method !== 'GET' || target?.pathname !== path) {
      sendPage(response, { status: 404, title: 'Not found', text: 'There is nothing here.' });
      return;
    }
    void receive(target.searchParams).then((page) => sendPage(response, page));
  });
  return {
    uri: `http://${host}${path}`,
    close: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), maxLingerMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

/** Headers of every page: nothing is loaded, framed or cached, and the URL with its code is sent nowhere. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

function sendPage(response: ServerResponse, page: Page): void {
  response.writeHead(page.status, { ...pageHeaders, connection: 'close' }).end(renderPage(page));
}

export function renderPage({ title, text, form }: Page): string {
  const button = form
    ? `<form method="post" action="${escapeHtml(form.action)}"><button>${escapeHtml(form.button)}</button></form>`
    : '';
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<style>body{font:16px system-ui;max-width:36em;margin:4em auto;padding:0 1em}</style>
<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${button}</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
