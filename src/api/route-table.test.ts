import { describe, expect, it } from 'vitest';
import { permissions } from '../contract/access/index.ts';
import { exampleOf, openApiDocument } from './document/openapi-document.ts';
import { apiRoutes } from './route-table.ts';

const named = apiRoutes.map(
  (route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const,
);

describe('the table of routes', () => {
  it.each(named)('%s names a permission that exists, and does one thing', (_name, route) => {
    expect(permissions).toHaveProperty([route.permission]);
    expect([route.handle, route.serve].filter(Boolean)).toHaveLength(1);
  });

  it.each(named)('%s has an example that its own schemas accept', (_name, route) => {
    const example = exampleOf(route);
    expect(route.params.safeParse(example.params ?? {})).toMatchObject({ success: true });
    expect(route.query.safeParse(example.query ?? {})).toMatchObject({ success: true });
    expect(route.body.safeParse(example.body ?? {})).toMatchObject({ success: true });
    expect(route.answer.safeParse(example.answer)).toMatchObject({ success: true });
  });

  it('has every path and method once, and fixed paths before those that would match them', () => {
    const names = named.map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const [at, [name, route]] of named.entries()) {
      const pattern = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      const hidden = named
        .slice(at + 1)
        .filter(([, later]) => later.method === route.method && pattern.test(later.path));
      expect(hidden, name).toEqual([]);
    }
  });

  it('defines no command to start: no schema of a request has a field for one', () => {
    const fields = new Set<string>();
    for (const path of Object.values(openApiDocument('1').paths)) {
      for (const { requestBody } of Object.values(path)) collectFields(requestBody, fields);
    }
    expect(fields.size).toBeGreaterThan(20);
    for (const field of ['command', 'cwd', 'env', 'mcpServers', 'url', 'transport']) {
      expect(fields).not.toContain(field);
    }
  });
});

function collectFields(value: unknown, into: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === 'properties') for (const name of Object.keys(Object(member))) into.add(name);
    if (key !== 'example') collectFields(member, into);
  }
}

describe('the document', () => {
  const document = openApiDocument('1.2.3');

  it('is OpenAPI 3.1 whose references all lead somewhere', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } });
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(5);
    for (const [, reference = ''] of references) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce<unknown>((value, key) => Object(value)[key], document);
      expect(found, reference).toBeTypeOf('object');
    }
  });

  it('has every route, each with its own operation id and all parameters of its path', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ path, ...operation })),
    );
    expect(operations).toHaveLength(apiRoutes.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(apiRoutes.length);
    for (const { path, parameters } of operations) {
      const inPath = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
      expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    }
  });
});
