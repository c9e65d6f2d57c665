import { createHash } from 'node:crypto';
import type { HttpExchange } from '../../http/index.ts';
import { etagOf, hasTag } from '../send-answer.ts';
import {
  openApiDocument,
  type OpenApiDocument,
  type Operation,
  type Parameter,
} from './openapi-document.ts';
const docsStyle = `body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{margin-bottom:0}h2{margin-top:2.5rem}h4{margin:1rem 0 .25rem}code,pre{font:14px/1.5 ui-monospace,monospace}
pre{background:#f4f4f4;border:1px solid #ddd;border-radius:4px;padding:.75rem;overflow:auto}
details{border:1px solid #ddd;border-radius:4px;margin:.5rem 0;padding:.5rem .75rem}summary{cursor:pointer}
summary b{display:inline-block;width:4.5rem}summary span{color:#666;margin-left:.5rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #eee}
input{font:inherit;width:100%;padding:.4rem;margin:1rem 0;box-sizing:border-box}[hidden]{display:none}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}pre{background:#222;border-color:#444}details,th,td{border-color:#333}summary span{color:#aaa}input{background:#222;color:#ddd;border:1px solid #444}}`;

/** Filters the routes, and opens the one that the address names. */
const docsScript = `const filter = document.getElementById('filter');
const routes = [...document.querySelectorAll('details')];
filter.hidden = false;
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(' ').filter(Boolean);
  for (const route of routes) {
    const text = route.querySelector('summary').textContent.toLowerCase();
    route.hidden = !words.every((word) => text.includes(word));
  }
  for (const section of document.querySelectorAll('section')) {
    section.hidden = [...section.querySelectorAll('details')].every(({ hidden }) => hidden);
  }
});
const open = () => {
  const route = document.getElementById(location.hash.slice(1));
  if (route?.tagName === 'DETAILS') route.open = true;
};
addEventListener('hashchange', open);
open();
`;

interface PageFile {
  readonly type: string;
  readonly text: string;
  readonly etag: string;
}

export interface Pages {
  send(exchange: HttpExchange, name: 'document' | 'docs' | 'script'): void;
}

const styleHash = createHash('sha256').update(docsStyle).digest('base64');
/** Our own script and style, nothing else; the page sends nothing anywhere. */
const docsPolicy = `default-src 'none'; script-src 'self'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The document and the page for people, each made once. */
export function createPages(version: string): Pages {
  const document = openApiDocument(version);
  const file = (type: string, text: string): PageFile => ({ type, text, etag: etagOf(text) });
  const files = {
    document: file('application/json', JSON.stringify(document)),
    docs: file('text/html; charset=utf-8', renderDocs(document)),
    script: file('text/javascript; charset=utf-8', docsScript),
  };
  return {
    send({ request, response }, name) {
      const { type, text, etag } = files[name];
      const headers = {
        'content-type': type,
        etag,
        'cache-control': 'no-cache',
        'content-security-policy': docsPolicy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      };
      if (hasTag(request.headers['if-none-match'], etag)) response.writeHead(304, headers).end();
      else {
        response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(text) });
        response.end(text);
      }
    },
  };
}

/** The page for people: every route with its parameters, schemas and an example. Readable without the script. */
function renderDocs({ paths, info }: OpenApiDocument): string {
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = Map.groupBy(routes, ({ operation }) => operation.tags[0] ?? '');
  const sections = [...groups].map(
    ([group, members]) =>
      `<section><h2>${escaped(group)}</h2>\n${members.map(renderRoute).join('\n')}\n</section>`,
  );
  const { version } = info as { version: string };
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Tutti REST API</title><style>${docsStyle}</style><script src="/api/docs.js" defer></script></head><body>
<h1>Tutti REST API</h1>
<p>Version ${escaped(version)}, ${routes.length} routes. For programs: <a href="/api/openapi.json">OpenAPI 3.1</a>. The server itself: <a href="/">its page</a>.</p>
<p>Send the token of the server, or an API key: <code>Authorization: Bearer TOKEN</code>. Errors are problems (RFC 9457) with a stable <code>code</code>.
Lists have pages: send <code>nextCursor</code> as <code>cursor</code>. A POST with an <code>Idempotency-Key</code> is carried out once.</p>
<input id="filter" type="search" placeholder="Filter routes" aria-label="Filter routes" hidden>
${sections.join('\n')}
</body></html>
`;
}

interface DocumentedRoute {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function renderRoute({ path, method, operation }: DocumentedRoute): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const body = requestBody?.content['application/json'];
  const [status = '200', answer] = Object.entries(responses)[0] ?? [];
  const [type = '', media] = Object.entries(answer?.content ?? {})[0] ?? [];
  const isJson = type === 'application/json';
  return `<details id="${escaped(operationId)}"><summary><b>${method.toUpperCase()}</b><code>${escaped(path)}</code><span>${escaped(summary)}</span></summary>
${description === undefined ? '' : `<p>${escaped(description)}</p>\n`}<p>Permission: <code>${operation['x-tutti-permission']}</code></p>
${renderParameters(parameters)}${body ? block('Body', body.example) + block('Schema of the body', body.schema) : ''}<h4>Request</h4>
<pre>${escaped(curlOf({ path, method, operation }))}</pre>
${media ? block(`Answer (${status}, ${type})`, media.example) : `<p>Answers ${status}.</p>`}${media && isJson ? block('Schema of the answer', media.schema) : ''}</details>`;
}

function renderParameters(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: place, required, schema, description = '' }) => {
    const type = Array.isArray(schema['enum'])
      ? schema['enum'].join(' | ')
      : typeof schema['type'] === 'string'
        ? schema['type']
        : 'string';
    return `<tr><td><code>${escaped(name)}</code></td><td>${place}${required ? ', required' : ''}</td><td>${escaped(type)}</td><td>${escaped(description)}</td></tr>`;
  });
  return `<h4>Parameters</h4><table>${rows.join('')}</table>\n`;
}

function block(title: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return `<h4>${escaped(title)}</h4><pre>${escaped(text)}</pre>\n`;
}

function curlOf({ path, method, operation }: DocumentedRoute): string {
  const given = (place: string) =>
    operation.parameters.filter(
      ({ in: where, example }) => where === place && example !== undefined,
    );
  const filled = given('path').reduce(
    (text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(example ?? '')),
    path,
  );
  const query = given('query').map(({ name, example }) => [name, example ?? ''] as const);
  const search =
    query.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(query)).toString()}`;
  const body = operation.requestBody?.content['application/json']?.example;
  const verb = method === 'get' ? '' : ` -X ${method.toUpperCase()}`;
  const data =
    body === undefined
      ? ''
      : ` -H 'Content-Type: application/json' -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`;
  return `curl${verb} -H 'Authorization: Bearer TOKEN'${data} 'http://127.0.0.1:8004${filled}${search}'`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
