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
 * A JSON Schema whose root has `"type": "object"`, as MCP requires: itself where it has; with the type added where
 * it has none, or several including `object`; undefined for another type.
 */
export function asObjectSchema(schema: Params): Params | undefined {
  const { type } = schema;
  if (type === 'object') return schema;
  const named = namedTypes(type);
  return named.length === 0 || named.includes('object') ? { ...schema, type: 'object' } : undefined;
}

/** The valid types of a schema, in lower case: some servers write capitals or invalid types. */
export function namedTypes(type: unknown): string[] {
  const named: readonly unknown[] = Array.isArray(type) ? type : [type];
  const known = named.flatMap((it) => (typeof it === 'string' ? it.toLowerCase() : []));
  return [...new Set(known)].filter((it) => schemaTypes.includes(it));
}

/** Replaces boolean schemas of root properties by objects: older clients do not support booleans there. */
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
