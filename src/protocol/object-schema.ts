import { isRecord, type Params } from './message.ts';

const schemaTypes: readonly string[] = [
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
];

/**
 * A JSON Schema whose root says `"type": "object"`, as MCP asks for: itself where it does; with the type
 * added where it says none, or several of which one is `object`; undefined where it is of another type.
 */
export function asObjectSchema(schema: Params): Params | undefined {
  const { type } = schema;
  if (type === 'object') return schema;
  const named = namedTypes(type);
  return named.length === 0 || named.includes('object') ? { ...schema, type: 'object' } : undefined;
}

/** The types a schema names; some write them in capitals, and some name what is none. */
export function namedTypes(type: unknown): string[] {
  const named: readonly unknown[] = Array.isArray(type) ? type : [type];
  const known = named.flatMap((it) => (typeof it === 'string' ? it.toLowerCase() : []));
  return [...new Set(known)].filter((it) => schemaTypes.includes(it));
}

/** A schema of which every property of its root is an object: older clients know no boolean schemas there. */
export function withObjectProperties(schema: Params): Params {
  const { properties } = schema;
  if (!isRecord(properties)) return schema;
  const entries = Object.entries(properties);
  if (entries.every(([, property]) => typeof property !== 'boolean')) return schema;
  const objects = entries.map(([name, property]): [string, unknown] => {
    if (typeof property !== 'boolean') return [name, property];
    return [name, property ? {} : { not: {} }];
  });
  return { ...schema, properties: Object.fromEntries(objects) };
}
