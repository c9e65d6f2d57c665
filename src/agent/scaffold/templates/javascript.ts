import { camelOf, type ScaffoldNames } from '../scaffold-names.ts';
import { fillNames } from './fill-names.ts';
import type { TemplateSet } from './template-set.ts';

export const javascriptTemplates: TemplateSet = {
  code: {
    function: ({ title, camel, parameters }) => `/**
 * ${title}
${parameters.map((name) => ` * @param {unknown} ${camelOf(name)}`).join('\n')}
 */
export function ${camel}(${parameters.map(camelOf).join(', ')}) {
  throw new Error('${camel} is not written yet');
}
`,
    class: ({ title, pascal }) => `/** ${title} */
export class ${pascal} {
  #items = [];

  /** Adds an item. */
  add(item) {
    this.#items.push(item);
  }

  get size() {
    return this.#items.length;
  }

  /** The work this class is for. */
  process() {
    throw new Error('${pascal}.process is not written yet');
  }
}
`,
    cli: ({ title, kebab, camel }) => `#!/usr/bin/env node
/** ${title} */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** Does the work for one input, given as text. */
export function ${camel}(source) {
  throw new Error('${camel} is not written yet');
}

export function main(argv) {
  const { positionals, values } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log('${kebab} [FILE]  (standard input without a file)');
    return;
  }
  console.log(${camel}(readFileSync(positionals[0] ?? 0, 'utf8')));
}

if (import.meta.main) main(process.argv.slice(2));
`,
    rest: (names) => restResource(names, { types: false }),
  },
  testFramework: 'node:test',
  tests: (functions) => testSkeleton(functions, './solution.js'),
};

export function testSkeleton(functions: readonly string[], from: string): string {
  return `import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as solution from '${from}';

${functions
  .map(
    (name) => `describe('${name}', () => {
  it('is there', () => {
    assert.ok('${name}' in solution);
  });
  it.todo('gives the right result for a typical input');
  it.todo('refuses bad input');
});
`,
  )
  .join('\n')}`;
}

/** The same program with and without types, which stand in ⟦ ⟧. */
export function restResource(names: ScaffoldNames, options: { readonly types: boolean }): string {
  const text = restTemplate.replaceAll(/⟦([^⟧]*)⟧/gu, options.types ? '$1' : '');
  return fillNames(text, names);
}

const restTemplate = `/** «title» */
import { createServer } from 'node:http';
⟦import type { IncomingMessage, Server } from 'node:http';

type Fields = Record<string, unknown>;
type Item = Fields & { id: number };
interface Answer {
  status: number;
  value: unknown;
}
⟧
const path = '/«kebab»';
const maxBodyBytes = 1_000_000;
const notFound⟦: Answer⟧ = { status: 404, value: { error: 'not found' } };
const notAllowed⟦: Answer⟧ = { status: 405, value: { error: 'method not allowed' } };

/** Keeps the items in memory. Replace it by a database. */
export class «pascal»Store {
  #items = new Map⟦<number, Item>⟧();
  #nextId = 1;

  list()⟦: Item[]⟧ {
    return [...this.#items.values()];
  }

  create(fields⟦: Fields⟧)⟦: Item⟧ {
    const item = { ...fields, id: this.#nextId++ };
    this.#items.set(item.id, item);
    return item;
  }

  read(id⟦: number⟧)⟦: Item | undefined⟧ {
    return this.#items.get(id);
  }

  update(id⟦: number⟧, fields⟦: Fields⟧)⟦: Item | undefined⟧ {
    if (!this.#items.has(id)) return undefined;
    const item = { ...fields, id };
    this.#items.set(id, item);
    return item;
  }

  delete(id⟦: number⟧)⟦: boolean⟧ {
    return this.#items.delete(id);
  }
}

/** Answers one request. */
export function handle(
  store⟦: «pascal»Store⟧,
  { method, url, body }⟦: { method: string; url: string; body: Fields }⟧,
)⟦: Answer⟧ {
  const [root, id, ...more] = url.split('/').filter(Boolean);
  if (\`/\${root}\` !== path || more.length > 0) return notFound;
  if (id === undefined) {
    if (method === 'GET') return { status: 200, value: store.list() };
    if (method === 'POST') return { status: 201, value: store.create(body) };
    return notAllowed;
  }
  const found = (item⟦: unknown⟧)⟦: Answer⟧ => (item === undefined ? notFound : { status: 200, value: item });
  if (method === 'GET') return found(store.read(Number(id)));
  if (method === 'PUT') return found(store.update(Number(id), body));
  if (method === 'DELETE') return found(store.delete(Number(id)) ? {} : undefined);
  return notAllowed;
}

async function readBody(request⟦: IncomingMessage⟧)⟦: Promise<Fields>⟧ {
  let text = '';
  for await (const piece of request) {
    text += piece;
    if (text.length > maxBodyBytes) throw new Error('the body is too long');
  }
  return text === '' ? {} : JSON.parse(text);
}

export function makeServer(store = new «pascal»Store())⟦: Server⟧ {
  return createServer(async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    const answer⟦: Answer⟧ = await readBody(request).then(
      (body) => handle(store, { method, url, body }),
      () => ({ status: 400, value: { error: 'the body is not JSON, or too long' } }),
    );
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.value));
  });
}
`;
