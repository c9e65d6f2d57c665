import type { OpenApiDocument, Operation } from '../../src/api/document/openapi-document.ts';
import type { ApiAsk } from './an-api.ts';

type Schema = Readonly<Record<string, unknown>>;
type Random = () => number;

const strange = [
  '',
  ' ',
  '0',
  '-1',
  '1e999',
  'null',
  'true',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  '%2e%2e%2f',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '${jndi:ldap://x}',
  '\u0000',
  '\u202e\u{1f600}',
  'a'.repeat(400),
  'last',
  'sha256:zz',
  'code.format_code',
  'admin.list_servers',
];

/** Values whose type a schema does not expect, and values at the edge of what is JSON. */
const strangeValues: readonly unknown[] = [
  ...strange,
  null,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  true,
  [],
  {},
  [[[]]],
  { a: { b: { c: [] } } },
];

const maxDepth = 6;

/** Requests made of the document: most fit their route nearly, some fit, some are nonsense. */
export class RequestFuzzer {
  readonly #document: OpenApiDocument;
  readonly #operations: readonly (readonly [string, string, Operation])[];
  readonly #random: Random;
  /** Real ids to use in paths. */
  readonly #ids: readonly string[];

  constructor(document: OpenApiDocument, ids: readonly string[], random: Random) {
    this.#document = document;
    this.#random = random;
    this.#ids = ids;
    this.#operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [method, path, operation] as const),
    );
  }

  get operations(): number {
    return this.#operations.length;
  }

  /** Every operation comes in turn, so that a small sample has all of them. */
  next(number: number): ApiAsk & { readonly operation: string } {
    const [method, path, operation] = this.#operations[number % this.#operations.length] ?? [
      'get',
      '/',
      Object(),
    ];
    const body = operation.requestBody?.content['application/json'];
    const isOdd = this.#random() < 0.05;
    const sent = isOdd
      ? this.#pick(['{', '[]', 'null', '"x"', '['.repeat(500), '{"a":1,"a":2}'])
      : body && (this.#random() < 0.3 ? body.example : this.#value(body.schema, 0));
    return {
      operation: operation.operationId,
      method: this.#random() < 0.02 ? this.#pick(['PUT', 'PATCH', 'DELETE']) : method.toUpperCase(),
      path: this.#path(path, operation),
      as: this.#pick(['anna', 'anna', 'bob', 'vera', '']),
      ...(method === 'post' && { body: sent ?? {} }),
      headers: this.#headers(),
    };
  }

  #path(path: string, { parameters }: Operation): string {
    let filled = path;
    const query = new URLSearchParams();
    for (const { name, in: place, required, schema, example } of parameters) {
      if (place === 'path') {
        const choices = [example ?? 'x', ...this.#ids, this.#pick(strange) || 'x'];
        filled = filled.replace(`{${name}}`, encodeURIComponent(this.#pick(choices)));
      }
      const isSent = place === 'query' && (required ? this.#random() < 0.9 : this.#random() < 0.4);
      if (!isSent) continue;
      const value = this.#random() < 0.5 ? (example ?? '5') : this.#value(schema, maxDepth);
      query.append(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    if (this.#random() < 0.05) query.append(this.#pick(strange), 'x');
    const search = query.toString();
    return search === '' ? filled : `${filled}?${search}`;
  }

  #headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    const may = (name: string, values: readonly string[]): void => {
      if (this.#random() < 0.08) headers[name] = this.#pick(values);
    };
    may('idempotency-key', ['k1', 'k2', 'k'.repeat(300), 'ü', '']);
    may('last-event-id', ['0.', '1.', '99999999.', 'x', '-1']);
    may('range', ['bytes=0-3', 'bytes=-1', 'bytes=9-1', 'bytes=99999-', 'lines=1']);
    may('if-none-match', ['*', '"x"', 'W/"x"', ',,,']);
    may('traceparent', ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'x']);
    if (headers['idempotency-key'] === 'ü') headers['idempotency-key'] = 'k 1';
    return headers;
  }

  #value(schema: Schema, depth: number): unknown {
    if (this.#random() < 0.06) return this.#pick(strangeValues);
    const { $ref: reference, anyOf, oneOf, enum: choices, type } = schema;
    if ('const' in schema) return schema['const'];
    if (typeof reference === 'string') return this.#value(this.#find(reference), depth + 1);
    if (Array.isArray(choices)) return this.#pick(choices);
    const options = anyOf ?? oneOf;
    if (Array.isArray(options)) return this.#value(this.#pick(options), depth + 1);
    switch (type) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return depth >= maxDepth
          ? []
          : Array.from({ length: Math.floor(this.#random() * 3) }, () =>
              this.#value(Object(schema['items']), depth + 1),
            );
      case 'string':
        return this.#random() < 0.5 ? this.#pick(strange) : this.#pick(this.#ids);
      case 'integer':
      case 'number':
        return Math.floor(this.#random() * 300) - 20;
      case 'boolean':
        return this.#random() < 0.5;
      case 'null':
        return null;
      default:
        return this.#pick(strangeValues);
    }
  }

  #object(schema: Schema, depth: number): object {
    const properties: Readonly<Record<string, Schema>> = Object(schema['properties']);
    const required: readonly string[] = Object.values(Object(schema['required']));
    const value: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(properties)) {
      const chance = required.includes(name) ? 0.95 : 0.4;
      if (depth < maxDepth && this.#random() < chance) value[name] = this.#value(member, depth + 1);
    }
    if (this.#random() < 0.05) value[this.#pick(strange)] = this.#pick(strangeValues);
    return value;
  }

  #find(reference: string): Schema {
    const path = reference.slice(2).split('/');
    return path.reduce<Schema>((value, key) => Object(value[key]), this.#document);
  }

  #pick<Item>(items: readonly Item[]): Item {
    // Lists to choose from are never empty.
    return items[Math.floor(this.#random() * items.length)] as Item;
  }
}
