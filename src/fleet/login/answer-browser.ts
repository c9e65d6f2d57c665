import { createHash } from 'node:crypto';
import { callbackPath, startPath, type LoginFlows } from './login-flows.ts';
import { pageHeaders, renderPage, type Page } from './loopback-redirect.ts';

/** A request of a browser to our HTTP listener. */
export interface BrowserRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly cookie: string | undefined;
}

export interface BrowserAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const cookieSeconds = 900;

/** The pages of a login through our HTTP listener: confirm, and come back. Anyone may request them. */
export async function answerBrowser(
  flows: LoginFlows,
  { method, path, query, cookie }: BrowserRequest,
  isSecure: boolean,
): Promise<BrowserAnswer> {
  const state = query.get('state') ?? '';
  const name = cookieName(state);
  if (path === callbackPath) {
    return pageAnswer(await flows.receive(query, readCookie(cookie, name)));
  }
  const confirmed = path === startPath && method === 'POST' ? flows.confirm(state) : undefined;
  if (!confirmed) return pageAnswer(flows.describe(state));
  const attributes = `Path=/oauth; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Lax`;
  return {
    status: 303,
    headers: {
      ...pageHeaders,
      location: confirmed.location,
      'set-cookie': `${name}=${confirmed.browser}; ${attributes}${isSecure ? '; Secure' : ''}`,
    },
    body: '',
  };
}

/** One for each login, so that several can be open in one browser. */
function cookieName(state: string): string {
  return `tutti-login-${createHash('sha256').update(state).digest('hex').slice(0, 16)}`;
}

function readCookie(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

function pageAnswer(page: Page): BrowserAnswer {
  return { status: page.status, headers: pageHeaders, body: renderPage(page) };
}
