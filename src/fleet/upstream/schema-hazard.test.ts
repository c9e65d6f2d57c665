import { expect, it } from 'vitest';
import { ListReader } from './read-list.ts';
import { schemaHazard } from './schema-hazard.ts';
import { SlowPatterns } from './slow-patterns.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

/** Each definition holds the next one twice: small to send, 2^levels parts to check. */
function bomb(levels: number, keyword: string): object {
  const names = Array.from({ length: levels }, (_, level) => `d${level}`);
  const definitions = names.map((name, level) => {
    const next = { $ref: `#/$defs/d${level + 1}` };
    return [name, level === levels - 1 ? { type: 'string' } : { [keyword]: [next, next] }];
  });
  return object({ a: { $ref: '#/$defs/d0' } }, { $defs: Object.fromEntries(definitions) });
}

function nested(levels: number): object {
  let schema: object = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = object({ a: schema });
  return schema;
}

const chain = object(
  {},
  {
    $defs: Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }]),
    ),
  },
);

it.each<[string, object, string]>([
  [
    'a reference to a web address',
    object({ a: { $ref: 'http://127.0.0.1/x' } }),
    'another document',
  ],
  [
    'a reference to metadata',
    object({ a: { $ref: 'http://169.254.169.254/' } }),
    'another document',
  ],
  ['a reference to a file', object({ a: { $ref: 'file:///etc/passwd' } }), 'another document'],
  ['a relative reference', object({ a: { items: { $ref: 'other.json#/a' } } }), 'another document'],
  ['a dynamic reference', object({ a: { $dynamicRef: 'https://x.example/' } }), 'another document'],
  [
    'a reference in a definition',
    object({}, { $defs: { a: { not: { $ref: '//x' } } } }),
    'another document',
  ],
  ['allOf of allOf', bomb(30, 'allOf'), 'combines more than'],
  ['anyOf of anyOf', bomb(30, 'anyOf'), 'combines more than'],
  ['oneOf of oneOf', bomb(30, 'oneOf'), 'combines more than'],
  [
    'a definition that is itself',
    object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { $ref: '#/$defs/a' } } }),
    'without end',
  ],
  [
    'definitions in a circle',
    object(
      {},
      { $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } } },
    ),
    'without end',
  ],
  ['a root that is itself', { allOf: [{ $ref: '#' }] }, 'without end'],
  ['a long chain of references', chain, 'without end'],
  ['deep nesting', nested(80), 'nests deeper'],
  [
    'many parts',
    object(Object.fromEntries(Array.from({ length: 11_000 }, (_, at) => [`p${at}`, {}]))),
    'has more than',
  ],
])('finds %s', (_what, schema, hazard) => {
  expect(schemaHazard(schema)).toContain(hazard);
});

it.each<[string, object]>([
  ['a tree', object({ children: { items: { $ref: '#' } } })],
  [
    'two kinds that hold each other',
    object(
      { a: { $ref: '#/$defs/a' } },
      {
        $defs: { a: object({ b: { $ref: '#/$defs/b' } }), b: object({ a: { $ref: '#/$defs/a' } }) },
      },
    ),
  ],
  [
    'a wide union',
    object({ a: { anyOf: Array.from({ length: 300 }, (_, at) => ({ const: at })) } }),
  ],
  [
    'a reference to its own id',
    { $id: 'https://x.example/s', ...object({ a: { $ref: 'https://x.example/s#/$defs/a' } }) },
  ],
  [
    'an example that looks like a reference',
    object({ a: { default: { $ref: 'http://x.example' } } }),
  ],
  ['a shallow composition', bomb(8, 'allOf')],
  ['deep data', nested(40)],
])('has nothing against %s', (_what, schema) => {
  expect(schemaHazard(schema)).toBeUndefined();
});

it.each([
  '^(a+)+$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '([a-zA-Z]+)*$x',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '^(.*a){20}$x',
  '^(\\w+\\s?)*$',
  '(x+x+)+y',
  '^(0|0?1?)*$',
])('removes the pattern %s, which takes exponential time', (pattern) => {
  const tool = { name: 'a', inputSchema: object({ a: { type: 'string', pattern } }) };
  expect(new SlowPatterns().removeFrom(tool)).toEqual({
    name: 'a',
    inputSchema: object({ a: { type: 'string' } }),
  });
});

it.each([
  '^[a-z]+(-[a-z]+)*$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$',
  '^(https?|ftp)://[^\\s/$.?#].[^\\s]*$',
  '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$',
  '^(?:[A-Z0-9_+-]+\\.?)*[A-Z]@x$'.slice(0, 8),
  '(',
])('keeps the pattern %s', (pattern) => {
  const tool = { name: 'a', inputSchema: object({ a: { pattern } }) };
  expect(new SlowPatterns().removeFrom(tool)).toBe(tool);
});

it('ends soon with a thousand slow patterns, and removes them from names, too', () => {
  const patternProperties = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, at) => [`^(a+)+${at}$`, {}]),
  );
  const startedAt = performance.now();
  const { inputSchema } = new SlowPatterns().removeFrom({ inputSchema: { patternProperties } });
  expect(inputSchema).toEqual({ patternProperties: {} });
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});

it('leaves out a dangerous tool by name, and lists the others of its server', () => {
  const problems: string[] = [];
  const reader = new ListReader('tools', (problem) => void problems.push(problem));
  const tools = [
    { name: 'bomb', inputSchema: bomb(40, 'allOf') },
    { name: 'remote', inputSchema: object({ a: { $ref: 'http://169.254.169.254/' } }) },
    { name: 'slow', inputSchema: object({ a: { pattern: '^(a+)+$' } }) },
    { name: 'output', inputSchema: object({}), outputSchema: bomb(40, 'oneOf') },
    { name: 'good', inputSchema: object({ a: { type: 'string' } }) },
  ];
  reader.take({ tools }, 1);
  expect(reader.items.map(({ name }) => name)).toEqual(['slow', 'output', 'good']);
  expect(reader.items[1]).not.toHaveProperty('outputSchema');
  expect(problems).toEqual([
    'listed tool "bomb", which is left out: its schema combines more than 10000 parts for one value',
    'listed tool "remote", which is left out: its schema refers to another document',
    'listed tool "slow" with a pattern that takes too long to match, which is left out',
    'listed a tool with a wrong outputSchema, which is corrected or left out',
  ]);
});
