export interface Visit {
  readonly status: number;
  readonly url: string;
  readonly text: string;
}

const maxSteps = 20;

/**
 * A person with a browser: follows redirects, keeps cookies, and submits every form it sees with this name, until
 * a page has no form.
 */
export class Browser {
  readonly #login: string;
  /** By origin, as cookies of loopback ports would otherwise mix. */
  readonly #cookies = new Map<string, Map<string, string>>();
  /** All that was visited, in order. */
  readonly history: string[] = [];

  readonly #until: RegExp | undefined;

  /** Stops before it visits an address that fits `until`. */
  constructor(login: string, { until }: { readonly until?: RegExp } = {}) {
    this.#login = login;
    this.#until = until;
  }

  async visit(start: string): Promise<Visit> {
    let url = start;
    let form: URLSearchParams | undefined;
    for (let step = 0; step < maxSteps; step += 1) {
      this.history.push(url);
      if (this.#until?.test(new URL(url).href.split('?')[0] ?? '')) {
        return { status: 0, url, text: '' };
      }
      const { origin } = new URL(url);
      const response = await fetch(url, {
        method: form ? 'POST' : 'GET',
        redirect: 'manual',
        headers: {
          cookie: this.#cookieText(origin),
          ...(form && { origin, 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(form && { body: form.toString() }),
      });
      this.#keepCookies(origin, response);
      const location = response.headers.get('location');
      if (response.status >= 300 && response.status < 400 && location !== null) {
        url = new URL(location, url).href;
        form = undefined;
        continue;
      }
      const text = await response.text();
      const next = response.status === 200 ? readForm(text, this.#login) : undefined;
      if (!next) return { status: response.status, url, text };
      form = next.fields;
      url = new URL(next.action, url).href;
    }
    throw new Error(`The browser did not arrive after ${maxSteps} steps`);
  }

  #cookieText(origin: string): string {
    return [...(this.#cookies.get(origin) ?? [])].map((pair) => pair.join('=')).join('; ');
  }

  #keepCookies(origin: string, response: Response): void {
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }
}

function readForm(
  html: string,
  login: string,
): { readonly action: string; readonly fields: URLSearchParams } | undefined {
  const form = /<form[^>]*\baction="([^"]*)"[^>]*>(.*?)<\/form>/s.exec(html);
  if (!form) return undefined;
  const fields = new URLSearchParams();
  for (const [input] of (form[2] ?? '').matchAll(/<input[^>]*>/g)) {
    const name = /\bname="([^"]*)"/.exec(input)?.[1];
    const value = /\bvalue="([^"]*)"/.exec(input)?.[1];
    if (name !== undefined) fields.set(name, value ?? (name === 'login' ? login : 'secret'));
  }
  return { action: (form[1] ?? '').replaceAll('&amp;', '&'), fields };
}
